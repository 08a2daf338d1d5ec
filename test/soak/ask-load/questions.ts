/** A question whose only right answer is known. */
export interface Question {
  readonly number: number;
  readonly args: { readonly prompt: string; readonly model?: string };
  readonly answer: string;
  /** Whether a small model is asked what it is. */
  readonly isUnclear: boolean;
}

const UNCLEAR = 'Not today, but now.';

/**
 * As people ask: mostly anything, some for a model by its name, some with code, some that may ask
 * for news.
 */
const KINDS: readonly ((answer: string) => Question['args'])[] = [
  (answer) => ({ prompt: `Say exactly: ${answer}` }),
  (answer) => ({ prompt: `Say exactly: ${answer}`, model: 'kimi-k2.6' }),
  (answer) => ({ prompt: `Say exactly: ${answer}`, model: 'auto' }),
  (answer) => ({ prompt: `Say exactly: ${answer}`, model: 'kimi-k3' }),
  (answer) => ({ prompt: `\`\`\`js\nlamp.light();\n\`\`\`\nSay exactly: ${answer}` }),
  (answer) => ({ prompt: `Say exactly: ${answer}`, model: 'glm-5.3' }),
  (answer) => ({ prompt: `${UNCLEAR} Say exactly: ${answer}` }),
  (answer) => ({ prompt: `Say exactly: ${answer}` }),
];

export function questionNumbered(number: number): Question {
  const answer = `Answer ${number}: the lamp is lit at dusk and put out at dawn.`;
  const kind = KINDS[number % KINDS.length];
  if (!kind) throw new Error('there is no kind of question');
  const args = kind(answer);
  return { number, args, answer, isUnclear: args.prompt.startsWith(UNCLEAR) };
}

/** The number of the question in whatever a vendor was sent. */
export function numberIn(sent: string): number | undefined {
  const number = /Answer (\d+): the lamp/.exec(sent)?.[1];
  return number === undefined ? undefined : Number(number);
}
