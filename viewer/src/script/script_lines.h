// SPDX-License-Identifier: MIT
// The commands of scripts. Each function runs the lines that begin with its word.
#ifndef POISE_SCRIPT_LINES_H
#define POISE_SCRIPT_LINES_H

#include "runner.h"

// script_gestures.c
bool poise__script_drag(PoiseRunner* runner);
bool poise__script_lift(PoiseRunner* runner);
bool poise__script_press(PoiseRunner* runner);
bool poise__script_click(PoiseRunner* runner);
bool poise__script_slide(PoiseRunner* runner);
bool poise__script_drop(PoiseRunner* runner);
bool poise__script_key(PoiseRunner* runner);
bool poise__script_type(PoiseRunner* runner);

// script_commands.c
bool poise__script_do(PoiseRunner* runner);
bool poise__script_wait(PoiseRunner* runner);
bool poise__script_go(PoiseRunner* runner);
bool poise__script_look(PoiseRunner* runner);
bool poise__script_show(PoiseRunner* runner);
bool poise__script_picture(PoiseRunner* runner);
bool poise__script_film(PoiseRunner* runner);
bool poise__script_read(PoiseRunner* runner);
bool poise__script_expect(PoiseRunner* runner);
bool poise__script_say(PoiseRunner* runner);
bool poise__script_trail(PoiseRunner* runner);
bool poise__script_open(PoiseRunner* runner);
bool poise__script_restart(PoiseRunner* runner);

#endif
