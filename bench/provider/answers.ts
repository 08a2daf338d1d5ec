/** Content chunks of a stream; with the role, the end and the usage that makes 103 events. */
export const CHUNKS = 100;
const WORD = ' lighthouse';
const HEAD = { id: 'chatcmpl-69f0c0ffee', created: 1_788_300_000, model: 'kimi-k2.6' };
const USAGE = {
  prompt_tokens: 1384,
  completion_tokens: 148,
  total_tokens: 1532,
  cached_tokens: 1280,
  prompt_tokens_details: { cached_tokens: 1280 },
};

/** About a kilobyte, as vendors answer. */
export function jsonText(): string {
  const content = WORD.repeat(60);
  return JSON.stringify({
    ...HEAD,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: USAGE,
    system_fingerprint: 'fpv0_10a6da87',
  });
}

export const JSON_CHARS = WORD.length * 60;
export const streamChars = (chunks: number): number => WORD.length * chunks;

export function* eventTexts(chunks: number): Generator<string> {
  yield event({ role: 'assistant', content: '' });
  const word = event({ content: WORD });
  for (let n = 0; n < chunks; n += 1) yield word;
  yield event({}, 'stop');
  const last = { ...HEAD, object: 'chat.completion.chunk', choices: [], usage: USAGE };
  yield `data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`;
}

function event(delta: object, finish: string | null = null): string {
  const chunk = {
    ...HEAD,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
    system_fingerprint: 'fpv0_10a6da87',
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
