/** Promises about logins at MCP servers behind EX-AI. */
export const LOGIN_REQUIREMENTS = {
  'login:flow':
    'EX-AI logs in to an MCP server that asks for it: it finds the authorization server, registers itself where it is not registered, and uses PKCE, state, the resource and the scopes that the server names.',
  'login:refresh':
    'A token is refreshed before it expires and after it is refused, one time for all calls that wait, and a new refresh token is on the disk before it is used.',
  'login:attacks':
    'A login fails, with a reason and without sending a token or a code anywhere, when metadata, issuer, PKCE, addresses or answers are not what they must be.',
  'login:bound':
    'Tokens are used only for the server, address, client, authorization server and principal of their login.',
  'login:files':
    'Tokens are in files that only the user can read, and in no log, error, envelope or list.',
  'login:scopes':
    'A server that wants more scopes gets one login for them, and one that still wants them is refused.',
  'login:callback':
    'The address to which browsers are sent back takes an answer one time, at exactly the address of the login, with its state, and from no page of another site.',
  'login:call':
    'A call to a server that wants a login asks the user of its client to log in, where that is the login of this user, and continues afterwards; other calls fail with the command.',
  'login:commands':
    'exai servers login and logout work with and without a browser on this machine, and list, status, doctor and manage_connections name servers that need a login.',
  'login:own': 'A server whose settings have a client of EX-AI itself gets tokens without a user.',
} as const;
