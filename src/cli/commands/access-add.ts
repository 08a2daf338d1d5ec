import { ACCESS_METHODS, type AddedClient } from '#core/auth/access-admin.ts';
import { CallError } from '#core/errors/call-error.ts';
import { shellQuote } from '#core/text/text.ts';
import { defineCommand } from '../command.ts';
import { describeCoverage, describeScopeLimits } from '../format/describe-coverage.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printJson } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

export const command = defineCommand({
  name: 'access add',
  summary: 'Create a token for a client',
  about:
    'A scope is a tool, a pattern, or @user, @manager, @backend, for allow: (default), read: (what changes nothing), ' +
    'free: (what changes nothing and asks no model), ask: or deny:. read:* covers tools that ask models and spend money; ' +
    'free:* does not. deny: overrides all other scopes; tools that no scope names are refused. The token is printed once and ' +
    'not stored in readable form. A client does not inherit the data of a removed client of its name, unless --restore is given. ' +
    'The daemon is started if none runs.\n' +
    `  exai access add dashboard --scope 'free:*'\n` +
    `  exai access add laptop --scope 'read:*' --scope chat --scope 'deny:kimi_*'`,
  positionals: [
    { name: 'name', need: 'required', help: 'What to call the client: a-z, 0-9, - and _' },
  ],
  options: {
    scope: { type: 'texts', value: 'S', help: 'What it may use; more than one may be given' },
    restore: {
      type: 'boolean',
      help: 'Give it the data of the removed client of this name',
    },
  },
  async run({ options, positionals }, io) {
    const { scope: scopes } = options;
    const { name = '' } = positionals;
    if (scopes === undefined && !options.restore) {
      throw new CallError('validation', 'A client without a scope could use nothing.', {
        field: '--scope',
        fix: `exai access add ${shellQuote(name)} --scope 'read:*'`,
      });
    }
    const params = { name, scopes, ...(options.restore && { restore: true }) };
    const added = (await runWithDaemon(io, (daemon) =>
      daemon.request(ACCESS_METHODS.add, params),
    )) as AddedClient;
    if (options.json) return printJson(io, added);
    const print = (words: string) => io.stderr.write(`${escapeControls(words)}\n`);
    for (const words of [...added.warnings, ...added.notices]) print(`exai: ${words}`);
    io.stdout.write(`${added.token}\n`);
    print(
      `This is the token of ${added.name}. It is shown only now; give it to the client as its bearer token.`,
    );
    print(describeCoverage(added.name, added.coverage));
    for (const words of describeScopeLimits(added.name, added.coverage)) print(words);
  },
});
