import { CallError } from '#core/call-error.ts';
import { keyAssignment, type Gateway, type GatewayKey, type Variables } from './gateway-setup.ts';
import { referring, writeCheck, writeVariables, type Shell } from './gateway-shells.ts';
import type { GatewayTool } from './gateway-tools.ts';
import type { Io } from './io.ts';

/**
 * The lines for one tool, and nothing else where a shell reads them; a person at a terminal also sees what to do next, as
 * comments, so that all of it can be pasted.
 */
export function writeSetup(
  tool: GatewayTool,
  gateway: Gateway,
  shell: Shell | undefined,
  io: Io,
): void {
  const setup = tool.setUp(gateway);
  const more = [...tool.next(gateway)];
  if (setup.is === 'file') {
    if (shell !== undefined) throw noVariables(tool, setup.path);
    more.unshift(`This belongs in ${setup.path}.`);
  }
  const comment = (text: string) => `${io.paint('dim', `# ${text}`)}\n`;
  const isForPeople = io.width !== undefined && shell !== 'json';
  if (isForPeople) io.stdout.write(comment(`${tool.title}, at ${gateway.url}`));
  if (setup.is === 'file') io.stdout.write(setup.text);
  else {
    const isJson = shell === 'json';
    const lines = isJson ? setup : withKey(setup, gateway.key);
    io.stdout.write(writeVariables(lines, shell ?? 'sh'));
    const { key } = gateway;
    if (shell !== 'json' && key.is === 'variable' && key.setBy) {
      io.stdout.write(writeCheck(key.name, shell ?? 'sh'));
    }
    for (const name of isJson ? referring(setup) : []) {
      io.stderr.write(`exai: ${name} is left out, as it holds a token; --show-key prints it.\n`);
    }
  }
  if (isForPeople) for (const line of more) io.stdout.write(comment(line));
  else if (setup.is === 'file') for (const line of more) io.stderr.write(`exai: ${line}\n`);
}

/** The same as data. */
export function setupDocument(tool: GatewayTool, gateway: Gateway) {
  const { name, title, speaks } = tool;
  const setup = tool.setUp(gateway);
  const about = { tool: name, title, speaks, key: keyDocument(gateway.key) };
  if (setup.is === 'file') return { ...about, file: { path: setup.path, text: setup.text } };
  const variables = Object.entries(withKey(setup, gateway.key).set).map(([variable, value]) => ({
    name: variable,
    ...(typeof value === 'string' ? { value } : value),
  }));
  return { ...about, variables, unset: setup.unset };
}

/** The variable of the key first, so that the others can refer to it. */
export function withKey(setup: Variables, key: GatewayKey): Variables {
  return { ...setup, set: { ...keyAssignment(key), ...setup.set } };
}

export function keyDocument(key: GatewayKey) {
  return { needed: key.is !== 'none', ...(key.is === 'variable' && { variable: key.name }) };
}

function noVariables({ title }: GatewayTool, path: string): CallError {
  return new CallError('bad_request', `${title} takes no variables, but a part of ${path}.`, {
    field: '--shell',
    fix: 'Leave --shell out.',
  });
}
