import { CallError } from '#core/errors/call-error.ts';
import { callsOthers, namesOfInnerTools } from '#core/hub/inner-tools.ts';
import type { UpstreamRequest } from '#core/hub/upstream.ts';
import { asObject } from '#core/json/json.ts';
import type { CatalogueFollower } from '../catalogue/follow-catalogue.ts';
import type { Connection } from '../connection/connection.ts';

/**
 * Whether a call may be sent: a tool, and each that it runs beside its own, only with the definition
 * that is approved. Undefined: it may; otherwise it resolves, or rejects with the reason.
 */
export function clearCall(
  server: string,
  catalogue: Pick<CatalogueFollower, 'clearance' | 'requireInnerApproved'>,
  connection: Connection,
  { method, params }: UpstreamRequest,
): Promise<void> | undefined {
  const { name: tool, arguments: args } = params;
  if (method !== 'tools/call' || typeof tool !== 'string') return undefined;
  const clearance = catalogue.clearance(connection, tool);
  if (connection.innerTools) {
    const inner = connection.innerTools(params);
    if (inner.length === 0) return clearance;
    return Promise.all([
      clearance,
      ...inner.map((each) => catalogue.clearance(connection, each)?.catch(ignoreUnknown)),
    ]).then(() => undefined);
  }
  const outer = { origin: { server, tool } };
  if (!callsOthers(outer)) return clearance;
  const check = () =>
    catalogue.requireInnerApproved(
      connection,
      tool,
      namesOfInnerTools(outer, asObject(args) ?? {}),
    );
  return clearance ? clearance.then(check) : check();
}

/** The server itself says which tools of a batch there are not. */
function ignoreUnknown(thrown: unknown): void {
  if (CallError.from(thrown).class !== 'not_found') throw thrown;
}
