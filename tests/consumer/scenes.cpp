// SPDX-License-Identifier: MIT
#include "scenes.c"
