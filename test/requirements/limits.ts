/** Promises about limits: queues, requests to vendors, tokens, money; forced probes and errors of limits. */
export const LIMIT_REQUIREMENTS = {
  'ask:queue':
    'Requests beyond the slots of a provider wait as long as their time allows, unless another provider has a free slot.',
  'ask:model-timeouts':
    'A model that thinks has minutes for its first word; a named one is not replaced because it thinks, and keep-alive comments alone end as `timeout`.',
  'limits:adaptive':
    'Requests to an account start few at a time, grow to the configured limit, and fall to what the vendor allows.',
  'threads:reasoning':
    'A conversation keeps the reasoning of its model and sends it back with every turn, where the model wants it.',
  'ask:calls':
    'One request makes at most `fallback.maxVendorCalls` requests to providers, follow-up requests included.',
  'breaker:forced':
    'When every breaker is open, the one with the shortest cool-down is tried, one call at a time, and a success closes it.',
  'ask:silence':
    'A caller that wants a whole answer gets it from a stream where answers usually take more than 2.5 seconds, so that silence is noticed by the first word.',
  'hedge:first_word':
    'While a model sends nothing for twice its usual time, at least 5 seconds, another provider is asked as well; one answer is given, both requests count.',
  'seam:repeating':
    'An answer that repeats itself and breaks off is continued only where its text proves the place, so that no row of it is doubled or lost.',
  'hedge:flapping':
    'While vendors fall silent in turn, every request is answered as long as one of them works.',
  'hedge:together':
    'Requests to one provider that are silent together are hedged sooner: their silence is added up to 5 seconds, with at least 1 second and twice the usual time each.',
  'hedge:given_up':
    'Where every provider of a request is silent, the request that was silent first is given up after twice the silence, and its provider is asked again.',
  'hedge:queued':
    'A request that waits for a slot of a provider that is silent for others is asked of the next provider.',
  'hedge:healthy': 'With healthy vendors hedging adds at most one request in twenty.',
  'breaker:typo': 'A mistyped model name opens no breaker.',
  'gateway:limited':
    'When every model is rate-limited or at capacity, the status says so, and a retry time is sent only where a retry makes sense.',
  'budget:exact': 'No number of calls at once spends more than one call over a budget.',
  'budget:shared':
    'Daemons with one PostgreSQL count what the others spent and stored, some seconds later.',
  'budget:polite':
    'A spent budget steps down to what costs nothing, or refuses with the setting and the hour.',
  'wire:limit-binds':
    'A token limit binds all requests of an answer: what reaches it ends as length, with the text so far.',
  'gateway:limit-binds':
    'A token limit ends an answer as length, of one request; no limit of money is exceeded by more than one request.',
  'gateway:usage':
    'usage is the prompt once and what was delivered, whatever it took; the sum of all attempts is in exai.usage_total.',
} as const;
