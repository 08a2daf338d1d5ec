import { createSwitches } from '../switches.ts';

/** Where documents and measurements disagree, or where one host does what the other does not. */
export function createGlmSwitches() {
  return createSwitches(
    {
      /**
       * File purposes, search engines and tool types differ; nearly all measurements are from
       * bigmodel.
       */
      host: 'zai' as 'zai' | 'bigmodel',
      /**
       * Of errors without `Accept-Language`: Chinese was measured on bigmodel, there is no measurement
       * z.ai.
       */
      language: 'zh' as 'zh' | 'en',
      /**
       * z.ai's OpenAPI shows `{code:int,message}`; what was measured is `{error:{code,message}}`.
       */
      errorShape: 'nested' as 'nested' | 'flat',
      /** Newer texts say rate limit, older ones concurrency. */
      text1302: 'rate' as 'rate' | 'concurrency',
      /** An error in a stream is a data line; its event may have the name `error`. */
      errorEvent: 'unnamed' as 'unnamed' | 'named',
      /**
       * Both OpenAPIs say that arguments are an object; the SDK and the schema of streams say
       * string.
       */
      toolArguments: 'string' as 'string' | 'object',
      /** z.ai's documents of December 2025 name glm-4.6 alone; another reading is 4.6 and later. */
      toolStream: 'only-4.6' as 'only-4.6' | 'since-4.6',
      /** The schema for vision says 16,384 where its text says 32K. */
      visionMaxTokens: 32_768 as number,
      /** `GET /models` is undocumented; it works on bigmodel, and z.ai is not measured. */
      models: 'works' as 'works' | '404',
      /**
       * Whether a `web_search` tool searches when `search_intent` is not false: by the look of the
       * question, always, or never.
       */
      searchIntent: 'detect' as 'detect' | 'always' | 'never',
      /** `count` of the tool was measured to do nothing; the documents say 1 to 50. */
      searchCount: 'ignored' as 'ignored' | 'honoured',
      /**
       * What comes back for the ignored `json_schema`: fenced JSON that fits, fenced JSON that does
       * not, or prose.
       */
      jsonSchema: 'fenced' as 'fenced' | 'invalid' | 'prose',
      /**
       * With thinking enabled, 4.5 and 4.6 decide for themselves: always here, or only for
       * questions of some length.
       */
      thinkingWhen: 'enabled' as 'enabled' | 'needed',
      /** No document has `object` in a whole answer. */
      objectField: 'absent' as 'absent' | 'present',
      /** The 4V family may answer with an array of text parts. */
      visionContent: 'string' as 'string' | 'parts',
      /** glm-4.5v may wrap its text in box marks. */
      boxes: 'glm-4.5v' as 'glm-4.5v' | 'never',
      /** glm-4v-plus and glm-4.5v are reported gone from bigmodel in 2026. */
      oldVision: 'live' as 'live' | 'gone',
      /** z.ai lists glm-4.6, glm-4.6v and glm-4.5 for `/tokenizer`. */
      tokenizerModels: 'listed' as 'listed' | 'all',
      /** How often `/async-result` says PROCESSING before it has the answer. */
      asyncPolls: 1 as number,
      /** Chats of one key that may run at once; 0 for no limit. */
      concurrency: 0 as number,
      /** Chats of one key with one free model that may run at once; 0 for no limit. */
      freeConcurrency: 0 as number,
    },
    {
      host: ['zai', 'bigmodel'],
      language: ['zh', 'en'],
      errorShape: ['nested', 'flat'],
      text1302: ['rate', 'concurrency'],
      errorEvent: ['unnamed', 'named'],
      toolArguments: ['string', 'object'],
      toolStream: ['only-4.6', 'since-4.6'],
      visionMaxTokens: [16_384, 32_768],
      models: ['works', '404'],
      searchIntent: ['detect', 'always', 'never'],
      searchCount: ['ignored', 'honoured'],
      jsonSchema: ['fenced', 'invalid', 'prose'],
      thinkingWhen: ['enabled', 'needed'],
      objectField: ['absent', 'present'],
      visionContent: ['string', 'parts'],
      boxes: ['glm-4.5v', 'never'],
      oldVision: ['live', 'gone'],
      tokenizerModels: ['listed', 'all'],
    },
  );
}

export type GlmSwitches = ReturnType<typeof createGlmSwitches>['switches'];
