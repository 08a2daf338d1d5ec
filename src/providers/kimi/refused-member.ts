import { notice } from '#core/messages/notices.ts';
import type { Ended, Round } from '../wire/round.ts';

/** What a request can do without, should a model refuse it that the catalogue thinks would take it. */
const SPARABLE = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'reasoning_effort',
  'thinking',
  'tool_choice',
  'prompt_cache_key',
  'safety_identifier',
  'stream_options',
];

/** The same question without the member that the vendor named in its refusal. Each is left out once, so it ends. */
export function afterRefusedMember({ body, end, hasContent }: Ended): Round | undefined {
  if (end.is !== 'failed' || end.error.class !== 'bad_request' || hasContent) return undefined;
  const { message } = end.error;
  const [first] = SPARABLE.filter((name) => Object.hasOwn(body, name))
    .map((name) => ({ name, at: message.search(new RegExp(String.raw`\b${name}\b`)) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at);
  if (!first) return undefined;
  const left = Object.fromEntries(Object.entries(body).filter(([name]) => name !== first.name));
  const refused = { model: 'Kimi', parameter: first.name, refused: 'parameter' } as const;
  return { body: left, notices: [notice('parameter_refused', refused)] };
}
