import type { JsonObject } from '../json/json.ts';
import type { ToolOrigin } from './tool.ts';

/** What a prompt or a resource of another MCP server has beside its own. */
export interface ForeignContent {
  /** Access to it is decided by the scopes for the tools of its server. */
  readonly origin: ToolOrigin;
  /** What is listed: the definition of the server with the name that clients use. */
  readonly listed: JsonObject;
  readonly timeoutMs: number;
}
