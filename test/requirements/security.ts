/** Promises about tokens, files, foreign repositories, foreign input and what it may cost. */
export const SECURITY_REQUIREMENTS = {
  'security:owner-token':
    'Every TCP caller needs a token by default: the first start generates the owner’s, which only the owner can read.',
  'security:token-opt-out':
    'With auth.requireToken off, programs of the same user need no token on loopback, unless the user set one.',
  'security:anonymous-roots': 'A caller without a token opens no folder by naming it as a root.',
  'security:guessing': 'Guessing tokens is slowed down, and shuts out nobody who is at work.',
  'security:token-commands':
    '`exai token show` and `exai token rotate` hand the owner’s token on and replace it, with and without a daemon.',
  'security:repository-config':
    'Git never reads the configuration of a repository whose changes are read, so nothing that it names is run.',
  'security:repository-words':
    'An error about a repository quotes neither git nor any file that it stumbled over.',
  'security:repository-waits':
    'A pipe, device or socket in a repository keeps no call waiting: it is refused by its name.',
  'security:foreign-patterns':
    'A regular expression of a client (a schema, a filter) never holds up the daemon, whatever pattern and text are.',
  'security:answer-size':
    'What a provider answers is looked over before it is built: what is too deep, too large or has too many members is `bad_response`, and is not asked for again.',
  'security:answer-keys':
    'A key of a provider never stands in an answer: text, thoughts, tool calls and lists have `[secret]` in its place, also where it comes in pieces.',
  'security:shared-breakers':
    'What follows from the wishes of one client takes no model away from others, and what a provider says of its window is believed only where it can be true.',
  'security:newcomers':
    'Until its caller is known, a connection may make the daemon keep 64 KiB and no more, and gives way to newer ones: whoever has no token can neither fill the memory nor keep others out.',
  'security:unfinished':
    'Requests, messages and lines that have arrived in part share 256 MiB, and those that hardly make progress give way to others; a request that is complete never does.',
  'security:foreign-home':
    'A home that another user owns or can change is refused before anything of it is read or anything is sent to its socket.',
  'security:owner-stops':
    'Only the owner can stop the daemon or put another version in its place; a client with a token of its own uses what runs.',
  'security:port-taken':
    'When another program has the usual port, status, doctor and the first answer say whose it is and that clients hand it their token.',
  'security:tls':
    'Token and prompts go to other machines over TLS, or not without a warning: the daemon can serve it, and the shim insists on it.',
  'security:terminal-text':
    'On a terminal, and in every JSON that is printed, control characters and changes of direction are shown, never obeyed.',
  'security:masked-urls':
    'No user, password or query value of a configured URL is shown, whatever its name.',
  'security:client-identity':
    'A client gets nothing of an earlier client of its name unless the owner restores it: no conversation, job, result, or usage.',
  'security:free-scope':
    'A scope that begins with free: covers what only reads and asks no model, and access add and explain say what costs money.',
  'security:audit-key':
    'Rows of the audit are proven by a key outside the database: whoever writes the database alone cannot change, remove or add rows that pass.',
  'security:browser':
    'No page of another site can call a tool, open a session or read an answer, whatever its browser or a proxy makes of the request.',
  'security:isolation':
    'No client sees, changes or learns of the conversations, jobs, results, sessions or spending of another, nor of the owner.',
  'security:secrets':
    'Whatever fails, no key of a provider and no token is in an answer, a log, the store, a backup, a recording, a trace, a metric or the output of a command.',
  'security:tokens':
    'Tokens of clients and ids of sessions cannot be guessed; of a token only its digest is stored, and what the daemon writes is private to its user.',
  'files:secrets':
    'A file that seems to contain a secret is named with rule and line before it leaves the machine, or refused; the secret itself is never shown.',
  'net:offline':
    'With network.offline no request leaves the machine: providers, web pages and trace receivers elsewhere are refused, and no name is looked up.',
  'security:package':
    'The package holds nothing of tests, machines or people, and no package that it needs runs a script or lacks its digest.',
} as const;
