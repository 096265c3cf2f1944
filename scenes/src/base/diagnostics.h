// SPDX-License-Identifier: MIT
// Adds findings to the diagnostics, and guesses what a wrong name means.
#ifndef POISE_DIAGNOSTICS_PRIVATE_H
#define POISE_DIAGNOSTICS_PRIVATE_H

#include "arena.h"
#include "poise/scene.h"

/// Adds a finding. Control characters in its text are shown as '?'. Does nothing if `diagnostics`
/// is NULL.
void poise__diagnose(PoiseDiagnostics* diagnostics, PoiseSeverity severity, PoiseMark mark,
                     const char* format, ...) POISE_PRINTF(4, 5);

/// Returns the bytes of the control character at the start of a UTF-8 text; 0 if the text begins
/// with another letter. `code` gets the character's number. Control characters change how a
/// terminal shows a text. They are U+0000 to U+001F, U+007F to U+009F, and those that reverse the
/// order of letters: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
size_t poise__control_character(const char* text, size_t size, unsigned* code);
/// Writes '?' over each byte of control characters. Returns the number of the first; 0xffffffff if
/// the text has none.
unsigned poise__hide_control_characters(char* text, size_t size);

/// A file that was read, or will be.
typedef struct ReadFile {
    const char* path;
    uint64_t device;
    uint64_t inode;
    uint64_t hash; ///< hash of the file's bytes, by poise__hash; 0: not computed
} ReadFile;

/// Adds a file to the files that were read; updates only the hash of a known file. When memory is
/// short, poise__diagnostics_lost is true afterwards. Does nothing if `diagnostics` is NULL.
void poise__diagnostics_add_read(PoiseDiagnostics* diagnostics, const ReadFile* file);
/// Returns the file at `index`; NULL past the last.
const ReadFile* poise__diagnostics_read(const PoiseDiagnostics* diagnostics, int index);

/// Continues a 64-bit FNV-1a hash by `size` bytes. The first call takes POISE_HASH_BEGIN.
#define POISE_HASH_BEGIN UINT64_C(0xcbf29ce484222325)
uint64_t poise__hash(uint64_t hash, const void* bytes, size_t size);

/// True if a finding was lost because memory was short.
bool poise__diagnostics_lost(const PoiseDiagnostics* diagnostics);

/// A kind of finding that a file can repeat many times.
typedef struct FindingKind {
    PoiseSeverity severity;
    const char* name; ///< identifies the kind; not shown
} FindingKind;

/// Adds a finding of a kind. Findings of the same kind and severity are shown once, at the place of
/// the first, with their number.
void poise__diagnose_kind(PoiseDiagnostics* diagnostics, FindingKind kind, PoiseMark mark,
                          const char* format, ...) POISE_PRINTF(4, 5);

// Add a finding to the member `diagnostics` of `owner`, as poise__diagnose does.
#define REFUSE(owner, mark, ...)                                                                   \
    poise__diagnose((owner)->diagnostics, POISE_ERROR, mark, __VA_ARGS__)
#define WARN(owner, mark, ...)                                                                     \
    poise__diagnose((owner)->diagnostics, POISE_WARNING, mark, __VA_ARGS__)
#define NOTE(owner, mark, ...) poise__diagnose((owner)->diagnostics, POISE_NOTE, mark, __VA_ARGS__)
// Add a finding of the kind named `kind`, as poise__diagnose_kind does.
#define WARN_KIND(owner, kind, mark, ...)                                                          \
    poise__diagnose_kind((owner)->diagnostics, (FindingKind){POISE_WARNING, kind}, mark,           \
                         __VA_ARGS__)
#define NOTE_KIND(owner, kind, mark, ...)                                                          \
    poise__diagnose_kind((owner)->diagnostics, (FindingKind){POISE_NOTE, kind}, mark, __VA_ARGS__)

/// The candidate that fits the written word best.
typedef struct Suggestion {
    const char* written;
    const char* best; ///< NULL while no candidate is near enough
    bool synonym;     ///< True if `best` is a synonym of the written word
    int distance;     ///< edit distance in letters, or the rank of a synonym
    bool mute;        ///< True if the suggestion would not be shown
    long* compared;   ///< number of letter pairs compared; NULL: not counted
    long most_compared;
} Suggestion;

Suggestion poise__suggestion(const char* written);
/// Like poise__suggestion, within the budget of comparisons that all suggestions for `diagnostics`
/// share.
Suggestion poise__suggestion_for(PoiseDiagnostics* diagnostics, const char* written);
/// Considers `candidate`, a name that the file defines, as the suggestion: keeps it if it is the
/// best until now.
void poise__suggestion_offer(Suggestion* suggestion, const char* candidate);
/// Offers a name of the form robot/link. Its last part, or a word of it, also matches: hand matches
/// arm/left_hand.
void poise__suggestion_offer_path(Suggestion* suggestion, const char* candidate);
/// Like poise__suggestion_offer_path, but compares `compared`, not `candidate`, with the written
/// word.
void poise__suggestion_offer_as(Suggestion* suggestion, const char* compared,
                                const char* candidate);
/// Offers patterns that match `name` and end with the written pattern's text from its first
/// wildcard (* or ?) on. `fits` returns true if a pattern matches a name. Memory is from `arena`.
void poise__suggestion_offer_fitting(Suggestion* suggestion, const char* name,
                                     bool (*fits)(const char* pattern, const char* name),
                                     Arena* arena);
/// Offers a word of a format. A synonym of the written word (poise__synonym_rank) is preferred to a
/// word with a similar spelling.
void poise__suggestion_offer_word(Suggestion* suggestion, const char* candidate);

/// Writes "; did you mean 'scenes/reach.yaml'?" to `text`, or "". Looks in the path's folder for
/// the scene or robot with the most similar name.
const char* poise__file_guess(Arena* arena, const char* path, char* text, size_t capacity);
/// Like poise__file_guess, for a scene that a person names: a bare name may also be in
/// poise_scene_folder.
const char* poise__scene_file_guess(Arena* arena, const char* name, char* text, size_t capacity);

/// Returns the line of the synonym table that begins with the candidate and contains the written
/// word; -1 if no line does.
int poise__synonym_rank(const char* written, const char* candidate);
/// Returns a line of the synonym table: words with a space between them, first the word that Poise
/// uses. NULL past the last line.
const char* poise__synonyms(int index);

/// Returns how many letters must be inserted, deleted, replaced or swapped to turn one text into
/// the other. Ignores case; compares the first 63 letters.
int poise__edit_distance(const char* a, const char* b);

/// Writes "; did you mean 'x'?", "; here it is called 'x'" or "" to `text`. Returns `text`.
const char* poise__suggestion_text(const Suggestion* suggestion, char* text, size_t capacity);

#endif
