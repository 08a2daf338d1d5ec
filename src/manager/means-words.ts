/** `gpt-4o means kimi-k3 (gateway.models)`: that a name stands for another is never silent. */
export function meansWords(written: string, name: string): string {
  return `${written} means ${name} (gateway.models)`;
}

/** What `gateway.models` takes for a name. */
const NAME = /^[^\s,;=*\p{Cc}]{1,80}$/u;

/** What to write there so that a name means something. */
export function meaningFix(shown: string): string {
  const example = NAME.test(shown) ? `${shown}=auto` : 'gpt-4o=auto';
  return `gateway.models can give it a meaning: ${example}`;
}
