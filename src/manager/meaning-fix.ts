import { advice, type Fix } from '#core/messages/fixes.ts';

/** What `gateway.models` takes for a name. */
const NAME = /^[^\s,;=*\p{Cc}]{1,80}$/u;

/** What to write into `gateway.models` so that a name means something. */
export function meaningFix(shown: string): Fix {
  const example = NAME.test(shown) ? `${shown}=auto` : 'gpt-4o=auto';
  return advice(`gateway.models can give it a meaning: ${example}.`);
}
