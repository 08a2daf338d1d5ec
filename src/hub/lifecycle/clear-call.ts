import { CallError } from '#core/errors/call-error.ts';
import { callsOthers, namesOfInnerTools } from '#core/hub/inner-tools.ts';
import type { UpstreamRequest } from '#core/hub/upstream.ts';
import { asObject } from '#core/json/json.ts';
import type { CatalogueFollower } from '../catalogue/follow-catalogue.ts';
import type { Connection } from '../connection/connection.ts';
import { requireSwitchedOn } from './switched-off.ts';

interface CalledServer {
  readonly name: string;
  /** Patterns of its tools that the owner switched off. */
  readonly disabledTools: readonly string[];
}

/**
 * Whether a call may be sent: a tool, and each that it runs beside its own, only with the definition
 * that is approved, and none that is switched off. Undefined: it may; otherwise it resolves, or
 * rejects with the reason.
 */
export function clearCall(
  { name: server, disabledTools }: CalledServer,
  catalogue: Pick<CatalogueFollower, 'clearance' | 'requireInnerApproved' | 'tools'>,
  connection: Connection,
  { method, params }: UpstreamRequest,
): Promise<void> | undefined {
  const { name: tool, arguments: args } = params;
  if (method !== 'tools/call' || typeof tool !== 'string') return undefined;
  const requireOn = (names: readonly string[] | 'unreadable') => {
    const listed = catalogue.tools() ?? [];
    requireSwitchedOn({ server, disabledTools, outer: tool, names, listed });
  };
  if (connection.innerTools) {
    const inner = connection.innerTools(params);
    // It runs tools that no list has, too.
    requireOn([tool, ...inner]);
    const clearance = catalogue.clearance(connection, tool);
    if (inner.length === 0) return clearance;
    return Promise.all([
      clearance,
      ...inner.map((each) => catalogue.clearance(connection, each)?.catch(ignoreUnknown)),
    ]).then(() => undefined);
  }
  const clearance = catalogue.clearance(connection, tool);
  const outer = { origin: { server, tool } };
  if (!callsOthers(outer)) return clearance;
  const check = () => {
    const names = namesOfInnerTools(outer, asObject(args) ?? {});
    requireOn(names);
    return catalogue.requireInnerApproved(connection, tool, names);
  };
  return clearance ? clearance.then(check) : check();
}

/** The server itself says which tools of a batch there are not. */
function ignoreUnknown(thrown: unknown): void {
  if (CallError.from(thrown).class !== 'not_found') throw thrown;
}
