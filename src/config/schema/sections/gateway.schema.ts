import { settingMeta } from '../setting-meta.ts';
import {
  HOUR_MS,
  list,
  modelMapping,
  section,
  trueOrFalse,
  wholeNumber,
} from '../fields.schema.ts';

const USUAL = 'claude-*=auto';

/** Default aliases, which apply after those that are set. */
function withUsual(entries: string[]): string[] {
  return entries.length === 0 || entries.includes(USUAL) ? entries : [...entries, USUAL];
}

/** The gateway for clients of the OpenAI and Anthropic APIs. */
export const gateway = section({
  enabled: trueOrFalse
    .default(true)
    .describe('Answer clients of the OpenAI and Anthropic APIs at /v1.')
    .register(settingMeta, {}),
  timeoutMs: wholeNumber(1000, 24 * HOUR_MS)
    .default(600_000)
    .describe('How long an answer at /v1 may take in all, in milliseconds.')
    .register(settingMeta, {}),
  headHoldMs: wholeNumber(0, HOUR_MS)
    .default(10_000)
    .describe(
      'How long a stream at /v1 waits for its first word before it begins with signs of life, in milliseconds; a failure before that is a plain HTTP error.',
    )
    .register(settingMeta, {}),
  maxBodyBytes: wholeNumber(1024, 1_073_741_824)
    .default(33_554_432)
    .describe('Largest body of a request at /v1, in bytes.')
    .register(settingMeta, {}),
  models: list(modelMapping)
    .overwrite(withUsual)
    .default([USUAL])
    .describe(
      'What names of models mean that nobody here knows, such as `gpt-4o=kimi-k3` or `*=auto`; of several that fit, the first counts. `claude-*=auto` follows what you set; `claude-*=claude-*`, or an empty list, leaves it out.',
    )
    .register(settingMeta, {}),
});
