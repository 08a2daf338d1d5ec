/** What the daemon says of arguments of the tool `chat`, and how the command line says the same. In order. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  // There is no option for the length of an answer.
  [
    /Allow more, or (?:set|lower) max_output_tokens, so that the answer cannot cost as much\./g,
    'Allow more with --max-cost, or leave it out.',
  ],
  [/raise max_output_tokens, or ask for the rest/g, 'ask for the rest'],
  [/\bfallback: "?none\b"?/g, '--no-fallback'],
  [/\bprefer: (speed|cost)\b/g, '--prefer $1'],
  [/\bthinking_mode: (\w+)/g, '--think $1'],
  [/\buse_websearch: true\b/g, '--web'],
  [/"?\bthinking_mode\b"?/g, '--think'],
  [/"?\buse_websearch\b"?/g, '--web'],
  [/"?\bmax_cost_usd\b"?/g, '--max-cost'],
];

/** A sentence about a question that was asked by `exai ask`, with the options that one can type. Never for an answer. */
export function flagWords(sentence: string): string {
  return WORDS.reduce((words, [tool, flag]) => words.replaceAll(tool, flag), sentence);
}
