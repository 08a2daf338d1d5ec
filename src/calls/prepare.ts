import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { CallRequest } from '#core/calls.ts';
import { oneLine } from '#core/one-line.ts';
import type { ClientMetadata } from '#core/request-metadata.schema.ts';
import type { Tool } from '#core/tool.ts';
import { argsDigest } from './args-digest.ts';
import { decide, isCallable } from './decide.ts';
import type { Registry } from './registry.ts';
import { METADATA_KEY, readClientMetadata } from './request-metadata.ts';

/** What is known of a call before it runs. Filled step by step, so that the audit of a refused call says what it can. */
export interface Draft {
  toolName: string;
  tool?: Tool;
  args: Readonly<Record<string, unknown>>;
  argsSha256: string;
  clientMetadata?: ClientMetadata;
}

const MAX_NAME_CHARS = 128;

export function createDraft({ tool }: CallRequest): Draft {
  return { toolName: tool.slice(0, MAX_NAME_CHARS), args: {}, argsSha256: '' };
}

/** Is there such a tool, may the caller, are the arguments right: fills the draft, or throws what is wrong. */
export function prepare(draft: Draft, request: CallRequest, registry: Registry): Tool {
  const tool = registry.find(request.tool);
  if (!tool) throw unknownTool(draft.toolName, request.caller, registry);
  draft.tool = tool;
  draft.toolName = tool.name;

  const decision = decide(request.caller, tool);
  if (!isCallable(decision)) throw refused(tool, decision);

  const given = objectOf(request.args);
  checkCount(given);
  try {
    const { [METADATA_KEY]: metadata, ...args } = given;
    if (metadata !== undefined) draft.clientMetadata = readClientMetadata(metadata);
    draft.args = tool.parse(args);
    draft.argsSha256 = argsDigest(args);
  } catch (thrown) {
    // The stack ends before the nesting does.
    if (thrown instanceof RangeError) throw tooDeep();
    throw thrown;
  }
  return tool;
}

function objectOf(args: unknown): Record<string, unknown> {
  if (args === undefined || args === null) return {};
  if (typeof args === 'object' && !Array.isArray(args)) return args as Record<string, unknown>;
  throw new CallError('validation', 'The arguments must be an object.', {
    field: 'arguments',
    fix: 'Send them as {"name": value, …}, or leave them out.',
  });
}

/** No tool has as many; walking through millions of them would hold up everybody else. */
const MAX_ARGUMENTS = 1000;

function checkCount(given: Readonly<Record<string, unknown>>): void {
  let count = 0;
  for (const _ in given) {
    count += 1;
    if (count <= MAX_ARGUMENTS) continue;
    throw new CallError('validation', `There are more than ${MAX_ARGUMENTS} arguments.`, {
      field: 'arguments',
    });
  }
}

/** Suggests only what the caller may see. */
function unknownTool(name: string, caller: Caller, registry: Registry): CallError {
  const shown = oneLine(name, MAX_NAME_CHARS);
  const hint = registry.suggest(name, (tool) => decide(caller, tool).verdict !== 'deny');
  return new CallError('not_found', `There is no tool "${shown}"${hint || '.'}`, {
    field: 'name',
    fix: 'tools/list names them all.',
  });
}

function refused({ name }: Tool, { verdict, because }: ReturnType<typeof decide>): CallError {
  const why = because.join(' ');
  if (verdict === 'ask') {
    return new CallError('permission', `${name} needs a yes of its user first. ${why}`, {
      field: 'name',
      fix: 'This client cannot be asked; allow the tool in its scopes.',
    });
  }
  return new CallError('permission', `${name} may not be used. ${why}`, {
    field: 'name',
    fix: `Its user can see why with: exai access explain ${name}`,
  });
}

function tooDeep(): CallError {
  return new CallError('validation', 'The arguments are nested too deeply.', {
    field: 'arguments',
  });
}
