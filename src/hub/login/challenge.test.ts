import { expect, test } from 'vitest';
import { joinScopes, parseChallenge, shownScopes } from './challenge.ts';
import { loginNeeded } from './login-needed.ts';

test('a challenge has the scopes that OAuth allows, and no other text', () => {
  const header = 'Bearer scope="notes:read \u202Eevil <b>é \\"quoted\\" notes:read", error="x"';
  expect(parseChallenge(header)).toEqual({ scope: 'notes:read', error: 'x' });
  expect(joinScopes('a\u0007b', '\u001B[31m')).toBeUndefined();
});

test('scopes that are too long for a sentence are left out of it', () => {
  const many = Array.from({ length: 400 }, (_, index) => `scope:${index}`).join(' ');
  expect(shownScopes(many)).toBeUndefined();
  expect(shownScopes('notes:read')).toBe('notes:read');
  expect(loginNeeded('notes', many).message).toBe('The MCP server notes needs a login.');
  expect(loginNeeded('notes', 'notes:read').message).toContain('notes:read');
});
