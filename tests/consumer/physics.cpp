// SPDX-License-Identifier: MIT
#include "physics.c"
