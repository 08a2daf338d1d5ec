import type { ClientCapability, InputRequestKind } from '#core/tools/input-request.ts';
import { isObject, type Members, type RpcError } from './json-rpc.ts';

/** The MCP extension for long-running tasks. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const NO_KINDS: readonly InputRequestKind[] = Object.freeze([]);

/** The kinds of input requests that a client supports, by its capabilities. */
export function readInputRequestKinds(capabilities: unknown): readonly InputRequestKind[] {
  if (!isObject(capabilities)) return NO_KINDS;
  const { elicitation, sampling, roots } = capabilities;
  const kinds: InputRequestKind[] = [];
  if (isObject(elicitation)) {
    const { form, url } = elicitation;
    // In older revisions, `elicitation: {}` means the form mode.
    if (isObject(form) || url === undefined) kinds.push('form');
    if (isObject(url)) kinds.push('visit');
  }
  if (isObject(sampling)) kinds.push('sample');
  if (isObject(roots)) kinds.push('roots');
  return kinds.length === 0 ? NO_KINDS : kinds;
}

/**
 * The supported input requests, and task support. For modern clients only, which send their
 * capabilities with each request.
 */
export function readClientCapabilities(capabilities: unknown): readonly ClientCapability[] {
  const kinds = readInputRequestKinds(capabilities);
  return supportsTasks(capabilities) ? [...kinds, 'tasks'] : kinds;
}

export function supportsTasks(capabilities: unknown): boolean {
  const extensions = isObject(capabilities) ? capabilities['extensions'] : undefined;
  return isObject(extensions) && isObject(extensions[TASKS_EXTENSION]);
}

/** The MCP capabilities object for these capabilities. */
function toCapabilities(abilities: readonly ClientCapability[]): Members {
  return Object.assign({}, ...abilities.map((ability) => CAPABILITY[ability])) as Members;
}

const CAPABILITY: Record<ClientCapability, Members> = {
  form: { elicitation: {} },
  visit: { elicitation: { url: {} } },
  sample: { sampling: {} },
  roots: { roots: {} },
  tasks: { extensions: { [TASKS_EXTENSION]: {} } },
};

const MISSING_CAPABILITY = -32021;

/** The error for a client without a required capability. */
export function missingCapabilityError(
  lacks: readonly ClientCapability[],
  message: string,
  more: object = {},
): RpcError {
  const data = { requiredCapabilities: toCapabilities(lacks), ...more };
  return { code: MISSING_CAPABILITY, message, data, status: 400 };
}
