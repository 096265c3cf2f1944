// SPDX-License-Identifier: MIT
#include "shell.h"

int main(int argc, char** argv) {
    return poise__view_main(argc, argv);
}
