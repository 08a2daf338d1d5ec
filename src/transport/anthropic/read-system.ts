import { fieldError, isAbsent, readList, readObject, readText } from '../gateway/fields.ts';
import { isVisible } from '../gateway/is-visible.ts';

/** Claude Code writes its version and a digest of the request here, for a bill that is not ours. */
const BILLING = 'x-anthropic-billing-header:';

/** The instructions, as one text; nothing where there are none. */
export function readSystem(value: unknown, field: string): string | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'string') return isVisible(value) ? value : undefined;
  const texts: string[] = [];
  for (const [index, block] of readList(value, field).entries()) {
    const text = readTextBlock(block, `${field}[${index}]`);
    // It is no instruction, and as it is not always the same, vendors' caches would not know the prompt again.
    if (isVisible(text) && !text.startsWith(BILLING)) texts.push(text);
  }
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

function readTextBlock(value: unknown, field: string): string {
  const { type, text } = readObject(value, field);
  if (type === 'text') return readText(text, `${field}.text`);
  throw fieldError(`${field}.type`, 'Instructions are texts.', 'Send blocks of the type text.');
}
