/**
 * What both vendors answer, token by token: the same, so that a whole answer is known whoever gave
 * it.
 */
export const TOKENS: readonly string[] = [
  'The keeper',
  ' of the lighthouse',
  ' wrote down',
  ' what he saw',
  ' at a quarter',
  ' past four,',
  ' put out',
  ' the lamp,',
  ' closed the book',
  ' and went to sleep.',
];

export const STORY = TOKENS.join('');
/** How many are told before a stream breaks. */
export const TOLD = 3;
export const QUESTION = 'What did the keeper of the lighthouse do?';

/** How many tokens a text begins with. */
export function tokensOf(text: string): number {
  let told = '';
  const more = TOKENS.findIndex((token) => !text.startsWith((told += token)));
  return more === -1 ? TOKENS.length : more;
}

/**
 * A part of the story that a vendor is given to go on from, and whether it says where it stands
 * once more, as models do.
 */
export interface Part {
  readonly text: string;
  readonly repeats: 'nothing' | 'the last token';
}

export function tokensAfter({ text, repeats }: Part): readonly string[] {
  const told = tokensOf(text);
  return TOKENS.slice(repeats === 'nothing' ? told : Math.max(0, told - 1));
}
