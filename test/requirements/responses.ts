/** Promises about the Responses API, other names and repeated requests at the gateway. */
export const RESPONSES_REQUIREMENTS = {
  'responses:grammar':
    'A stream of /v1/responses has numbered events in OpenAI’s order, and its last event has all items that were told before.',
  'responses:input':
    'Items of a conversation become messages without loss: calls with their results, reasoning, images.',
  'responses:stored':
    'A response is stored before it is answered, can be read, continued and deleted by its client alone, and expires with its chain.',
  'responses:bad-input': 'Invalid requests to /v1/responses get OpenAI’s errors with their field.',
  'responses:disconnect':
    'A client that closes the connection of a streamed response ends the request to the vendor.',
  'gateway:limits-told':
    'Answers tell our own limits and, to a client with a budget, what is left of it; nothing is invented.',
  'gateway:completions': 'Old clients are answered at /v1/completions, whole and streamed.',
  'gateway:aliases':
    'Names of well-known models work without a setting, the answer says what they mean, and embeddings are never renamed by default.',
  'gateway:idempotency':
    'The same request with the same Idempotency-Key is answered once; another request with it is refused.',
  'gateway:cache':
    'With gateway.cacheMs the same request of the same client is answered from the cache, never with tools.',
  'gateway:cors':
    'Pages of allowed origins, of any scheme, can use the SDKs of OpenAI and Anthropic.',
  'gateway:threads-refused':
    'Anthropic’s threads are refused in the way that lets its SDK do without them.',
  'gateway:client-tools':
    'Anthropic’s tools that run at the client reach other models as plain tools.',
} as const;
