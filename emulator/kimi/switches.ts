import { createSwitches } from '../switches.ts';

/**
 * Where Kimi's sources contradict each other, and what tests like to turn. The defaults are what
 * was measured last.
 */
export const kimiSwitches = () =>
  createSwitches(
    {
      /**
       * Clients that may chat with a key of the coding plan: those on the vendor's list, by their
       * User-Agent (MoonshotAI/kimi-cli#2322, openclaw/openclaw#42499) / any, to test what follows.
       */
      codingClients: 'listed',
      /** Which host this is; keys of the other are refused. */
      host: 'ai',
      /** The type of a 401: measured on both hosts / older docs. */
      authError: 'incorrect_api_key_error',
      /**
       * Output cap when none is asked for: by family as in newer docs / 1,024 as in the older spec.
       */
      defaultCap: 'family',
      /**
       * An output cap that does not fit beside the prompt: reduced to what is left (the vendor's CLI
       * 2.1.0 sends the whole window with every first request; MoonshotAI/kimi-code#17) / refused
       * (MoonshotAI-Cookbook#18, 2024). moonshot-v1 always refuses it.
       */
      windowCap: 'reduced',
      /**
       * `reasoning_content` on assistant turns without tool calls, of K3 and K2.7: may be left out
       * (clients that omit it exist) / required (a 400 of a pre-release id, MoonshotAI/kimi-cli#2498).
       */
      preservedThinking: 'optional',
      /** Models of the K2 line: open / closed to accounts made after October 2026. */
      k2Line: 'open',
      /** Function names: up to 256 characters (newer OpenAPI) / 3 to 64 (older). */
      toolNames: 'long',
      /**
       * Forcing a tool while thinking: `required` accepted by K3 (docs, and a probe of every choice
       * in inspect_ai#5152) / always refused (measured earlier) / a named tool accepted (advice of
       * the AI SDK's adapter).
       */
      toolChoice: 'docs',
      /** `thinking` on K3: works (measured on .ai) / refused (docs). */
      k3Thinking: 'works',
      /**
       * Usage of a stream: in the finish chunk's choice (measured) / at the top of the finish chunk
       * (one doc page).
       */
      streamUsage: 'choice',
      /**
       * Moderation: HTTP 400 (docs) / a finish reason `content_filter` (mapped by the AI SDK's
       * adapter).
       */
      moderation: 'error',
      /**
       * The type of `$web_search` calls: `builtin_function` (recorded) / `function` (reported by
       * some clients).
       */
      webSearchType: 'builtin_function',
      /** Pictures by http(s) address: refused (docs, clients) / accepted (an older help page). */
      imageUrls: 'refused',
      /**
       * Purposes of files: the current four / with batch_output and lambda (an error text) /
       * file-extract alone (older).
       */
      filePurposes: 'current',
      /** Status of a good file: `ok` (real samples) / `ready` (newer schema examples). */
      fileStatus: 'ok',
      /** Content of a file: JSON text (recorded) / plain text (schema). */
      fileContent: 'json',
      /** moonshot-v1: offline (price pages of September 2026) / live (schema of August 2026). */
      moonshotV1: 'offline',
      /** Models that were switched off: gone / live, to check what held for them. */
      retiredModels: 'gone',
      /**
       * The header that tells when an explicit cache expires: `Exp` (docs) / `Ttl` (the vendor's Go
       * demo).
       */
      cacheExpiryHeader: 'Exp',
      /** Ids of answers: `chatcmpl-` (new) / `cmpl-` (old). */
      idPrefix: 'chatcmpl-',
      /** Ids of tool calls: `call_…` / `functions.name:0`. */
      callIds: 'call',
      /** `content` beside tool calls: an empty text / null. */
      callContent: 'empty',
      /** The retired `/caching` API. */
      legacyCache: false,
      /** Rate and concurrency limits of every key that names no tier itself. */
      tier: 'unlimited',
      /** Rounds of `$web_search` before the answer, unless the message says `[[search N]]`. */
      webSearchRounds: 1,
      /** Dollars that an account begins with. */
      startBalance: 1_000,
      maxFiles: 1_000,
      /** Bytes of all messages, as on the coding gateway: 2,097,152 there, 0 for no limit. */
      maxMessageBytes: 0,
    },
    {
      codingClients: ['listed', 'any'],
      host: ['ai', 'cn'],
      authError: ['incorrect_api_key_error', 'invalid_authentication_error'],
      defaultCap: ['family', '1024'],
      windowCap: ['reduced', 'refused'],
      preservedThinking: ['optional', 'required'],
      k2Line: ['open', 'closed'],
      toolNames: ['long', 'short'],
      toolChoice: ['docs', 'refused', 'named'],
      k3Thinking: ['works', 'refused'],
      streamUsage: ['choice', 'top'],
      moderation: ['error', 'finish'],
      webSearchType: ['builtin_function', 'function'],
      imageUrls: ['refused', 'accepted'],
      filePurposes: ['current', 'wide', 'extract-only'],
      fileStatus: ['ok', 'ready'],
      fileContent: ['json', 'text'],
      moonshotV1: ['offline', 'live'],
      retiredModels: ['gone', 'live'],
      cacheExpiryHeader: ['Exp', 'Ttl'],
      idPrefix: ['chatcmpl-', 'cmpl-'],
      callIds: ['call', 'functions'],
      callContent: ['empty', 'null'],
      tier: ['unlimited', 'T0', 'T1', 'T2', 'T3', 'T4', 'T5'],
    },
  );

export type KimiSwitches = ReturnType<typeof kimiSwitches>['switches'];
