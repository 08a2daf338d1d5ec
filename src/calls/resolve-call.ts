import { hash } from 'node:crypto';
import { clientNameOfPrincipal } from '#core/auth/principal.ts';
import type { AccessDecision } from '#core/auth/decision.ts';
import type { Caller } from '#core/calls/call.ts';
import type { CallRequest } from '#core/calls/calls.ts';
import { METADATA_KEY, type ClientMetadata } from '#core/calls/request-metadata.schema.ts';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { commandFix, fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import { didYouMean, oneLine } from '#core/text/text.ts';
import {
  NO_INPUT_RESPONSES,
  type InputRequired,
  type InputResponses,
} from '#core/tools/input-request.ts';
import { CALL_TOOL, CALL_TOOL_WRITE, wrapperOf, type WrapperName } from '#core/tools/tool-name.ts';
import type { Tool } from '#core/tools/tool.ts';
import { isCallable, type Access } from './access.ts';
import type { Callable } from './content-callables.ts';
import type { ContentRegistry } from './content-registry.ts';
import { withoutConsent, type Consents } from './elicitation.ts';
import type { Registry } from './registry.ts';
import { readClientMetadata } from './request-metadata.ts';
import { ownerOf, type RoundState, type StateSeal } from './request-state.ts';

/**
 * What is known of a call before it runs. Filled in step by step, so that a refused call is audited
 * as far as it got.
 */
export interface ResolvedCall {
  toolName: string;
  tool?: Tool;
  /** The prompt, resource or operation, if it is not a tool. */
  callable?: Callable;
  args: Readonly<Record<string, unknown>>;
  argsSha256: string;
  clientMetadata?: ClientMetadata;
  /** Responses of all rounds so far. */
  answers: InputResponses;
  /** What the tool gave with its last input requests. */
  inputHandle?: string;
  /** Whether the caller may call it; undefined if it failed before that was decided. */
  decision?: AccessDecision;
}

/** Registries and state that resolving a call needs. */
interface Sources {
  readonly registry: Registry;
  readonly content: ContentRegistry;
  readonly access: Access;
  readonly seal: StateSeal;
  readonly consents: Consents;
}

const MAX_NAME_CHARS = 128;

export function createResolvedCall({
  tool,
  answers = NO_INPUT_RESPONSES,
}: CallRequest): ResolvedCall {
  return {
    toolName: tool.slice(0, MAX_NAME_CHARS),
    args: {},
    argsSha256: '',
    // A client may send responses in advance, but not consent.
    answers: withoutConsent(answers),
  };
}

/**
 * Finds the tool, checks access and arguments, and fills in `resolved`; throws what is wrong.
 * Returns an input request if the user must consent first.
 */
export function resolveCall(
  resolved: ResolvedCall,
  request: CallRequest,
  sources: Sources,
): Tool | InputRequired {
  const { caller, kind = 'tool' } = request;
  const tool =
    kind === 'tool'
      ? resolveTool(resolved, request, sources)
      : resolveContent(resolved, request, sources);
  const decide = (args?: ResolvedCall['args']): AccessDecision => {
    const decision = resolved.callable
      ? sources.access.decideCallable(caller, resolved.callable, args)
      : sources.access.decide(caller, tool, args);
    resolved.decision = decision;
    if (!mayBegin(decision, request)) throw refused(resolved, request, decision);
    return decision;
  };
  const first = decide();
  const isReading = tool.annotations.readOnlyHint || tool.quarantine !== undefined;
  if (request.via === CALL_TOOL && !isReading) throw needsWrite(tool);
  if (kind === 'operation') takeArgs(resolved, request);
  else
    readArgs(resolved, tool, kind === 'resource' ? { uri: request.tool } : objectOf(request.args));
  const decision = first.dependsOnArguments ? decide(resolved.args) : first;
  const needsConsent = decision.verdict === 'ask';
  const round = openState(resolved, request, sources.seal);
  if (round) {
    resolved.answers = { ...round.answers, ...responsesTo(round.asked, request.answers) };
    if (round.handle !== undefined) resolved.inputHandle = round.handle;
  }
  return needsConsent ? (sources.consents.ask(request, resolved, round) ?? tool) : tool;
}

/** Whether it may run, or its user can be asked. */
function mayBegin(decision: AccessDecision, { clientCapabilities }: CallRequest): boolean {
  if (isCallable(decision)) return true;
  return decision.verdict === 'ask' && (clientCapabilities?.includes('form') ?? false);
}

/** Only the responses to what was requested. */
function responsesTo(
  names: readonly string[],
  responses: InputResponses = NO_INPUT_RESPONSES,
): InputResponses {
  const entries = names.flatMap((name) => {
    const answer = Object.hasOwn(responses, name) ? responses[name] : undefined;
    return answer ? [[name, answer] as const] : [];
  });
  return Object.fromEntries(entries);
}

function openState(
  resolved: ResolvedCall,
  request: CallRequest,
  seal: StateSeal,
): RoundState | undefined {
  return request.state === undefined
    ? undefined
    : seal.open(ownerOf(resolved, request), request.state);
}

function resolveTool(resolved: ResolvedCall, request: CallRequest, sources: Sources): Tool {
  const { registry } = sources;
  const { tool: name, caller, via } = request;
  if (via !== undefined) checkWrapper(via, resolved, request, sources);
  const tool = registry.find(name);
  if (!tool) throw unknownTool(resolved.toolName, caller, sources);
  resolved.tool = tool;
  resolved.toolName = tool.name;
  return tool;
}

/** The wrapper must be enabled and not denied; otherwise it needs no scope. */
function checkWrapper(
  via: WrapperName,
  resolved: ResolvedCall,
  request: CallRequest,
  sources: Sources,
): void {
  const wrapper = sources.registry.find(via);
  if (!wrapper) throw unknownTool(via, request.caller, sources);
  const decision = sources.access.decide(request.caller, wrapper);
  if (decision.verdict === 'deny') throw refused({ ...resolved, toolName: via }, request, decision);
  const inner = wrapperOf(request.tool);
  if (inner === undefined) return;
  throw codedError('bad_request', reason('wrapper_in_wrapper', { wrapper: via, tool: inner }), {
    field: 'name',
    fixes: ['Give "name" the tool itself, and "arguments" its arguments.'],
  });
}

function needsWrite({ name }: Tool): CallError {
  return codedError('bad_request', reason('tool_not_reading', { tool: name, wrapper: CALL_TOOL }), {
    field: 'name',
    fixes: [fix('call_through', { wrapper: CALL_TOOL_WRITE, tool: name })],
  });
}

function resolveContent(resolved: ResolvedCall, request: CallRequest, sources: Sources): Tool {
  const { kind } = request;
  const callable = findContent(sources.content, request);
  resolved.toolName = `${kind}:${resolved.toolName}`.slice(0, MAX_NAME_CHARS);
  if (!callable) throw unknownContent(kind === 'prompt' ? 'prompt' : 'resource', request, sources);
  resolved.tool = callable.tool;
  resolved.toolName = callable.tool.name;
  resolved.callable = callable;
  return callable.tool;
}

function findContent(
  content: ContentRegistry,
  { kind, tool: name, caller }: CallRequest,
): Callable | undefined {
  if (kind === 'prompt') return content.prompt(name);
  return kind === 'operation' ? content.operation(name) : content.at(name, caller);
}

/** The endpoint has already validated the arguments of an operation. */
function takeArgs(resolved: ResolvedCall, { args, argsSha256 = '' }: CallRequest): void {
  resolved.args = objectOf(args);
  resolved.argsSha256 = argsSha256;
}

function readArgs(resolved: ResolvedCall, tool: Tool, rawArgs: Record<string, unknown>): void {
  checkCount(rawArgs);
  try {
    const { [METADATA_KEY]: metadata, ...args } = rawArgs;
    if (metadata !== undefined) resolved.clientMetadata = readClientMetadata(metadata);
    resolved.args = tool.parse(args);
    resolved.argsSha256 = argsDigest(args);
  } catch (thrown) {
    // Stack overflow because of deep nesting.
    if (thrown instanceof RangeError) throw tooDeep();
    throw thrown;
  }
}

function objectOf(args: unknown): Record<string, unknown> {
  if (args === undefined || args === null) return {};
  if (typeof args === 'object' && !Array.isArray(args)) return args as Record<string, unknown>;
  throw new CallError('validation', 'The arguments must be an object.', {
    field: 'arguments',
    fix: 'Send them as {"name": value, …}, or leave them out.',
  });
}

/** No tool has as many; processing millions would block the event loop. */
const MAX_ARGUMENTS = 1000;

function checkCount(args: Readonly<Record<string, unknown>>): void {
  let count = 0;
  for (const _ in args) {
    count += 1;
    if (count <= MAX_ARGUMENTS) continue;
    throw new CallError('validation', `There are more than ${MAX_ARGUMENTS} arguments.`, {
      field: 'arguments',
    });
  }
}

/** Suggests only what the caller may see. */
function unknownTool(name: string, caller: Caller, { registry, access }: Sources): CallError {
  const notKnownYet = registry.explainUnknown(name, caller);
  if (notKnownYet) return notKnownYet;
  const shown = oneLine(name, MAX_NAME_CHARS);
  const hint = registry.suggest(name, (tool) => access.decide(caller, tool).verdict !== 'deny');
  return codedError('not_found', reason('unknown_tool', { tool: shown, hint }), {
    field: 'name',
    fixes: [fix('list_tools')],
  });
}

/** Suggests only what the caller may see. */
function unknownContent(
  kind: 'prompt' | 'resource',
  { tool: name, caller }: CallRequest,
  { content, access }: Sources,
): CallError {
  const shown = oneLine(name, MAX_NAME_CHARS);
  const known = content
    .all(kind === 'prompt' ? 'prompts' : 'resources')
    .filter((callable) => access.decideCallable(caller, callable).verdict !== 'deny');
  const hint = didYouMean(
    shown,
    known.map(({ key }) => key),
  );
  return new CallError('not_found', `There is no ${kind} "${shown}"${hint || '.'}`, {
    field: kind === 'prompt' ? 'name' : 'uri',
    fixes: [fix('list_tools', { kind })],
  });
}

function refused(
  { toolName, callable }: ResolvedCall,
  { caller, kind }: CallRequest,
  { verdict, reasons }: AccessDecision,
): CallError {
  // Requests of operations have no field that names the operation.
  const field = kind === 'operation' ? {} : { field: 'name' };
  const explain = fix('explain_access', { tool: callable?.uses ?? toolName, ...callerOf(caller) });
  if (verdict === 'ask') {
    return codedError('permission', reason('tool_needs_consent', { tool: toolName, reasons }), {
      ...field,
      fixes: ['This client cannot be asked.', explain],
    });
  }
  const grant = commandFix(
    `exai access add <name> --scope ${toolName}`,
    'make a key that may use it',
  );
  return codedError('permission', reason('tool_forbidden', { tool: toolName, reasons }), {
    ...field,
    fixes: kind === 'operation' ? [explain, grant] : [explain],
  });
}

function callerOf({ principal, credential, agent }: Caller): {
  readonly client?: string;
  readonly agent?: string;
} {
  return {
    ...(credential !== undefined && { client: clientNameOfPrincipal(principal) }),
    ...(agent !== undefined && { agent }),
  };
}

function tooDeep(): CallError {
  return new CallError('validation', 'The arguments are nested too deeply.', {
    field: 'arguments',
  });
}

/** Digest of arguments that does not depend on the order of keys. */
export function argsDigest(args: Readonly<Record<string, unknown>>): string {
  for (const _ in args) return sha256(canonical(args));
  return OF_NOTHING;
}

const OF_NOTHING = sha256('{}');

function sha256(text: string): string {
  return hash('sha256', text);
}

/** Longer texts, such as the content of a file, are digested by themselves. */
const LONG_CHARS = 65_536;

/**
 * JSON with sorted keys, and digests for long texts. Arguments come from JSON, so there are no
 * cycles and no other kinds of value.
 */
function canonical(value: object): string {
  return isPlain(value) ? JSON.stringify(value) : sortedJson(value);
}

/** Fast path: most arguments are a few texts and numbers. */
function isPlain(value: object): boolean {
  let last = '';
  for (const [key, inner] of Object.entries(value)) {
    if (key < last || (typeof inner === 'object' && inner !== null) || isLong(inner)) return false;
    last = key;
  }
  return true;
}

function sortedJson(value: object): string {
  return JSON.stringify(value, (_key, given: unknown) => {
    if (isLong(given)) return { sha256: sha256(given) };
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
    const inner = withFileDigest(given);
    const keys = Object.keys(inner);
    if (isSorted(keys)) return inner;
    // A key may be `__proto__`: an object without a prototype holds it like any other.
    const sorted = Object.create(null) as Record<string, unknown>;
    for (const key of keys.sort()) sorted[key] = (inner as Record<string, unknown>)[key];
    return sorted;
  });
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.length > LONG_CHARS;
}

/** A file that comes as content, with the digest of its bytes instead. */
function withFileDigest(value: object): object {
  const { filename, content, uri, blob } = value as Readonly<Record<string, unknown>>;
  if (typeof filename === 'string' && typeof content === 'string') {
    return { ...value, content: fileDigest(content) };
  }
  if (typeof uri === 'string' && typeof blob === 'string') {
    return { ...value, blob: fileDigest(blob) };
  }
  return value;
}

function fileDigest(base64: string): object {
  return { sha256: hash('sha256', Buffer.from(base64, 'base64')) };
}

function isSorted(keys: readonly string[]): boolean {
  return keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') < key);
}
