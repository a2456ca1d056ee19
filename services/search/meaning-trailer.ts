// How callers of the core learn whether a question was searched for by its meaning too, for their counts.

/** Holds a word of question-vectors.ts for each question that was searched for, comma-separated. */
export const meaningTrailer = 'lectern-meaning'
