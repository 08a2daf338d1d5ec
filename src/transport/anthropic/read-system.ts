import { isAbsent, readFields, readList, readText, refuse } from './body-fields.ts';

/** Claude Code writes its version and a digest of the request here, for a bill that is not ours. */
const BILLING = 'x-anthropic-billing-header:';

/** The instructions, as one text; nothing where there are none. */
export function readSystem(value: unknown, field: string): string | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'string') return value === '' ? undefined : value;
  const texts: string[] = [];
  for (const [index, block] of readList(value, field).entries()) {
    const text = readTextBlock(block, `${field}[${index}]`);
    // It is no instruction, and as it is not always the same, vendors' caches would not know the prompt again.
    if (text !== '' && !text.startsWith(BILLING)) texts.push(text);
  }
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

function readTextBlock(value: unknown, field: string): string {
  const { type, text } = readFields(value, field);
  if (type !== 'text') throw refuse(`${field}.type`, 'Instructions are blocks of the type "text".');
  return readText(text, `${field}.text`);
}
