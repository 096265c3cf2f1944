// SPDX-License-Identifier: MIT
// Adding to the findings, and guessing what was meant.
#ifndef POISE_DIAGNOSTICS_PRIVATE_H
#define POISE_DIAGNOSTICS_PRIVATE_H

#include "arena.h"
#include "poise/scene.h"

/// Adds a finding; control characters in it are shown as '?'. NULL diagnostics: nothing.
void poise__diagnose(PoiseDiagnostics* diagnostics, PoiseSeverity severity, PoiseMark mark,
                     const char* format, ...) POISE_PRINTF(4, 5);

/// Bytes of the control character that a text of UTF-8 begins with, 0: it begins with another
/// letter. `code` gets its number. Control characters steer what shows them: U+0000 to U+001F,
/// U+007F to U+009F, and those that turn the order of letters (U+061C, U+200E, U+200F, U+202A to
/// U+202E, U+2066 to U+2069).
size_t poise__control_character(const char* text, size_t size, unsigned* code);
/// Writes '?' over each byte of control characters. Returns the first one, 0xffffffff: there is
/// none.
unsigned poise__hide_control_characters(char* text, size_t size);

/// A file that was read, or is to be.
typedef struct ReadFile {
    const char* path;
    uint64_t device;
    uint64_t inode;
    uint64_t hash; ///< of its bytes, by poise__hash; 0: not taken
} ReadFile;

/// Adds one to the files that were read; of one that is known the hash. A loss of memory is as that
/// of a finding. Nothing for NULL diagnostics.
void poise__diagnostics_add_read(PoiseDiagnostics* diagnostics, const ReadFile* file);
/// NULL past the last.
const ReadFile* poise__diagnostics_read(const PoiseDiagnostics* diagnostics, int index);

/// FNV-1a of 64 bits: a hash goes on from the one before, the first from POISE_HASH_BEGIN.
#define POISE_HASH_BEGIN UINT64_C(0xcbf29ce484222325)
uint64_t poise__hash(uint64_t hash, const void* bytes, size_t size);

/// Whether a finding was lost because memory was short.
bool poise__diagnostics_lost(const PoiseDiagnostics* diagnostics);

/// What a file says many times.
typedef struct FindingKind {
    PoiseSeverity severity;
    const char* name; ///< not shown
} FindingKind;

/// The same for it: findings of one kind and severity are shown once, at the first of them, with
/// how many there are.
void poise__diagnose_kind(PoiseDiagnostics* diagnostics, FindingKind kind, PoiseMark mark,
                          const char* format, ...) POISE_PRINTF(4, 5);

/// The candidate that is most like what was written.
typedef struct Suggestion {
    const char* written;
    const char* best; ///< NULL while none is near enough
    bool synonym;     ///< `best` is what the written word is called here
    int distance;     ///< letters between them; of a synonym its rank
    bool mute;        ///< nobody would see it
    long* compared;   ///< pairs of letters so far, NULL: not counted
    long most_compared;
} Suggestion;

Suggestion poise__suggestion(const char* written);
/// The same in a file of many wrong names, which gets only so many guesses.
Suggestion poise__suggestion_for(PoiseDiagnostics* diagnostics, const char* written);
/// A name that the file itself gives.
void poise__suggestion_offer(Suggestion* suggestion, const char* candidate);
/// The same for a name as robot/link, which may be meant by its last part alone, or by a word of
/// it: hand is enough for arm/left_hand.
void poise__suggestion_offer_path(Suggestion* suggestion, const char* candidate);
/// The same where a pattern was written: offers one like it, the wildcards (* and ?) unchanged,
/// that fits the name. `fits` says whether a pattern does. Memory for what is offered is of the
/// arena.
void poise__suggestion_offer_fitting(Suggestion* suggestion, const char* name,
                                     bool (*fits)(const char* pattern, const char* name),
                                     Arena* arena);
/// A word of a format: what the written one is called here (poise__synonym_rank) goes before what
/// is spelt like it.
void poise__suggestion_offer_word(Suggestion* suggestion, const char* candidate);

/// "; did you mean 'scenes/reach.yaml'?" in `text`, or nothing: the scene or robot in the folder of
/// a path to no file whose name is most like it.
const char* poise__file_guess(Arena* arena, const char* path, char* text, size_t capacity);
/// The same for what a person gives as a scene: a bare name may be one of poise_scene_folder.
const char* poise__scene_file_guess(Arena* arena, const char* name, char* text, size_t capacity);

/// Where in the table of synonyms the candidate stands for what was written, -1: nowhere.
int poise__synonym_rank(const char* written, const char* candidate);
/// A line of that table, words with a space between them: the one that is used, then the others;
/// NULL past the last.
const char* poise__synonyms(int index);

/// Inserted, deleted, replaced and swapped letters that make one text the other; texts are compared
/// without regard to case, up to their first 63 letters.
int poise__edit_distance(const char* a, const char* b);

/// "; did you mean 'x'?" in `text`, or "; here it is called 'x'", or nothing.
const char* poise__suggestion_text(const Suggestion* suggestion, char* text, size_t capacity);

#endif
