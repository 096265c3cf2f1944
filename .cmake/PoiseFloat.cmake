# SPDX-License-Identifier: MIT
# poise_float_options: with these every compiler makes the same bits of floating-point code.
include(CheckCSourceCompiles)
# no fused multiply-add behind our back
set(poise_float_options -ffp-contract=off)
# gcc (12 does) fuses all the same where it puts single operations together to vectors: a * b - c
# beside a * b + c become one instruction. Only asked for where the processor that is compiled for
# (-march=native, say, also among the flags of the build type alone) has such instructions.
string(TOUPPER "${CMAKE_BUILD_TYPE}" poise_build_type)
set(CMAKE_REQUIRED_FLAGS "${CMAKE_C_FLAGS_${poise_build_type}}")
check_c_source_compiles("#if !defined(__FMA__) && !defined(__FMA4__) && !defined(__AVX512F__)
#error no fused operations
#endif
int main(void) { return 0; }" POISE_HAS_FUSED)
unset(CMAKE_REQUIRED_FLAGS)
if(POISE_HAS_FUSED)
    list(APPEND poise_float_options $<$<C_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)
endif()
