import { AT_RELOAD, atRestart, settingMeta } from '../setting-meta.ts';
import {
  HOUR_MS,
  list,
  modelMapping,
  section,
  trueOrFalse,
  wholeNumber,
} from '../fields.schema.ts';

/**
 * What the model names mean that people have in their tools. `speed` is a fast model, `auto` the
 * one that fits the request.
 */
export const USUAL_ALIASES: readonly string[] = [
  'claude-*haiku*=speed',
  'claude-*=auto',
  'gpt-*-mini*=speed',
  'gpt-*-nano*=speed',
  'gpt-*=auto',
  'chatgpt-*=auto',
  'codex-*=auto',
  'o1*=auto',
  'o3*=auto',
  'o4*=auto',
  'gemini-*flash*=speed',
  'gemini-*=auto',
];

/** The default aliases apply after those that are set; an empty list has none. */
function withUsual(entries: string[]): string[] {
  if (entries.length === 0) return entries;
  return [...entries, ...USUAL_ALIASES.filter((usual) => !entries.includes(usual))];
}

/** The gateway for clients of the OpenAI and Anthropic APIs. */
export const gateway = section({
  enabled: trueOrFalse
    .default(true)
    .describe('Answer clients of the OpenAI and Anthropic APIs at /v1.')
    .register(settingMeta, { applies: atRestart('listener') }),
  timeoutMs: wholeNumber(1000, 24 * HOUR_MS)
    .default(600_000)
    .describe('How long an answer at /v1 may take in all, in milliseconds.')
    .register(settingMeta, { applies: AT_RELOAD }),
  headHoldMs: wholeNumber(0, HOUR_MS)
    .default(10_000)
    .describe(
      'How long a stream at /v1 waits for its first word before it begins with signs of life, in milliseconds; a failure before that is a plain HTTP error.',
    )
    .register(settingMeta, { applies: atRestart('listener') }),
  maxBodyBytes: wholeNumber(1024, 1_073_741_824)
    .default(33_554_432)
    .describe('Largest body of a request at /v1, in bytes.')
    .register(settingMeta, { applies: atRestart('listener') }),
  maxFileBytes: wholeNumber(1024, 1_073_741_824)
    .default(100_000_000)
    .describe('Largest file that a client may upload at /v1/files, in bytes.')
    .register(settingMeta, { applies: AT_RELOAD }),
  aliases: list(modelMapping)
    .overwrite(withUsual)
    .default([...USUAL_ALIASES])
    .describe(
      'What unknown model names mean, such as `gpt-4o=kimi-k3` or `*=auto`; the first match counts. `speed` and `quality` are the models of these roles. The defaults follow what you set; `claude-*=claude-*` leaves one out, an empty list all. They do not apply to embeddings.',
    )
    .register(settingMeta, { applies: AT_RELOAD }),
  idempotencyMs: wholeNumber(0, 24 * HOUR_MS)
    .default(600_000)
    .describe(
      'How long the answer to a request with an Idempotency-Key is kept in memory for the same request, in milliseconds; 0 ignores the header.',
    )
    .register(settingMeta, { applies: atRestart('listener') }),
  cacheMs: wholeNumber(0, 24 * HOUR_MS)
    .default(0)
    .describe(
      'How long an answer at /v1 is reused for exactly the same request of the same client, in milliseconds; 0 reuses none. Requests with tools, and /v1/responses, are never reused.',
    )
    .register(settingMeta, { applies: atRestart('listener') }),
});
