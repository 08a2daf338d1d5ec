/** Promises about what callers may use: clients by their scopes, agents also by their rows. */
export const ACCESS_REQUIREMENTS = {
  'access:decide':
    'One decision with its reasons serves list and call; what no scope names is refused.',
  'access:agents':
    'What an agent may do is the smaller of the scopes of its client and its own rows, by whatever name, wrapper, batch, prompt, resource or job it tries.',
  'access:inner':
    'Tools that a tool of a server calls are decided as themselves, also by the scopes of a client.',
  'access:audit': 'The audit says which row or scope refused a call, or permitted one of an agent.',
  'access:explain': '`exai access explain` says what a client may do with a tool, and why.',
  'access:tokens':
    'A token is compared in constant time, never stored or logged, and can be replaced with a grace period.',
  'access:tokens-shared':
    'A token that one daemon removed is refused by all daemons of the store within seconds, also on open connections.',
  'access:log':
    'Refused, given, replaced and removed tokens are in the log, and never a token itself.',
} as const;
