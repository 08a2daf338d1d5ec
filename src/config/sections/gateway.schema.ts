import { facts } from '../facts.ts';
import { HOUR_MS, list, modelMapping, wholeNumber, yesNo } from '../fields.schema.ts';
import { section } from '../section.ts';

const USUAL = 'claude-*=auto';

/** What is set comes first, and the usual meaning stays for what it does not name. */
function withUsual(entries: string[]): string[] {
  return entries.length === 0 || entries.includes(USUAL) ? entries : [...entries, USUAL];
}

/** The doors for clients of other people's APIs. */
export const gateway = section({
  enabled: yesNo
    .default(true)
    .describe('Answer clients of the OpenAI and Anthropic APIs at /v1.')
    .register(facts, {}),
  timeoutMs: wholeNumber(1000, 24 * HOUR_MS)
    .default(600_000)
    .describe('How long an answer at /v1 may take in all, in milliseconds.')
    .register(facts, {}),
  headHoldMs: wholeNumber(0, HOUR_MS)
    .default(10_000)
    .describe(
      'How long a stream at /v1 waits for its first word before it begins with signs of life, in milliseconds; a failure before that is a plain HTTP error.',
    )
    .register(facts, {}),
  maxBodyBytes: wholeNumber(1024, 1_073_741_824)
    .default(33_554_432)
    .describe('Largest body of a request at /v1, in bytes.')
    .register(facts, {}),
  models: list(modelMapping)
    .overwrite(withUsual)
    .default([USUAL])
    .describe(
      'What names of models mean that nobody here knows, such as `gpt-4o=kimi-k3` or `*=auto`; of several that fit, the first counts. `claude-*=auto` follows what you set; `claude-*=claude-*`, or an empty list, leaves it out.',
    )
    .register(facts, {}),
});
