import type { SentenceTable } from './coded-message.ts';
import type { Reason } from './reasons.ts';
import { asClause, asSentence, listed } from './sentence.ts';

type Server = { readonly server: string };

/** Why an MCP server behind this one cannot be used, or why a request to it failed. */
export interface HubReasonParams {
  unknown_server: Server & { readonly hint: string };
  /** `disabled` in its settings. */
  server_disabled: Server;
  /** It has not listed its tools since it was added. */
  server_tools_not_known: Server;
  /** Its settings have neither a command nor a URL, or both, or a type that does not fit. */
  server_settings_unclear: Server;
  /** Its settings refer to variables that are not set. */
  server_variables_missing: Server & { readonly variables: readonly string[] };
  /** The program cannot be started, or the address cannot be reached; `detail` is a sentence. */
  server_not_reached: Server & { readonly detail: string };
  /** It did not introduce itself in time. */
  server_start_timeout: Server & { readonly timeoutMs: number };
  /** Its program ended, with the last line it wrote to stderr. */
  server_exited: Server & {
    readonly code?: number;
    readonly signal?: string;
    readonly stderr?: string;
  };
  server_hung_up: Server;
  /** It answered a request with a status that is not a success, and without a JSON-RPC error. */
  server_http_status: Server & { readonly status: number; readonly text: string };
  /** It no longer knows the session of the connection. */
  server_session_ended: Server;
  /** It refuses the credentials, or wants some. */
  server_unauthorized: Server & { readonly status: number };
  /** It wants a token that a login gives, or one with more scopes. */
  server_login_needed: Server & { readonly scope?: string };
  /** The login failed; `problem` completes "the authorization server …" or names another subject. */
  server_login_failed: Server & { readonly problem: string };
  /** Composio refuses the API key. */
  composio_key_refused: Server & { readonly status: number };
  /** It was stopped or restarted here, or its settings changed, while a call was running. */
  server_stopped: Server;
  /** It sends something that is not MCP; `problem` completes "it …". */
  server_protocol_error: Server & { readonly problem: string };
  /** It failed before and is not tried until then. */
  server_waiting: Server & { readonly retryMs: number; readonly because: Reason };
  /** Its queue is full. */
  server_full: Server & { readonly running: number };
  /** It did not answer a request in time. */
  server_timeout: Server & { readonly timeoutMs: number };
  server_message_too_large: Server & { readonly maxBytes: number };
  /** It answered a request with a JSON-RPC error. */
  server_refused: Server & { readonly rpcCode: number; readonly message: string };
  /** Its tool ran and reported an error; the result has the text. */
  server_tool_failed: Server & { readonly tool: string };
  /** Too many connections of callers that do not share one. */
  server_connections_full: Server & { readonly max: number };
  /** It made a request that this client cannot answer. */
  server_request_unsupported: Server & { readonly method: string };
  /** It asked more in one call than a client is asked. */
  server_asks_too_often: Server & { readonly max: number };
  /** It wants an answer of a model, which this caller may not ask. */
  sampling_not_allowed: Server & { readonly tool: string };
  /** Too many calls wait for the answers of their clients. */
  parked_calls_full: Server;
  /** The client took too long to answer what the server asked, or the server did not wait. */
  parked_call_gone: Server;
  /** The definition of the tool is not the approved one, or the scanner found something in it. */
  tool_quarantined: Server & {
    readonly tool: string;
    readonly change: 'changed' | 'added' | 'found';
    readonly decision: 'waiting' | 'rejected';
  };
  /** EX-AI was restarted while the client answered. */
  parked_call_restarted: Server;
}

const QUARANTINED = {
  changed: 'its definition has changed since it was approved',
  added: 'the server added it after its tools were pinned',
  found: 'the scanner found something in its definition',
} as const;

export const HUB_REASON_SENTENCES: SentenceTable<HubReasonParams> = {
  unknown_server: ({ server, hint }) => `There is no MCP server "${server}"${hint}`,
  server_disabled: ({ server }) => `The MCP server ${server} is disabled`,
  server_tools_not_known: ({ server }) =>
    `The MCP server ${server} is starting, and its tools are not known yet`,
  server_settings_unclear: ({ server }) =>
    `mcpServers.${server} must have either "command" or "url", and a "type" that fits`,
  server_variables_missing: ({ server, variables }) =>
    `The MCP server ${server} needs ${listed(variables)}, which ${variables.length === 1 ? 'is' : 'are'} not set`,
  server_not_reached: ({ server, detail }) =>
    `The MCP server ${server} cannot be reached: ${asClause(detail)}`,
  server_start_timeout: ({ server, timeoutMs }) =>
    `The MCP server ${server} did not introduce itself within ${timeoutMs / 1000} seconds`,
  server_exited: ({ server, code, signal, stderr }) => {
    const how = signal === undefined ? `with exit code ${code ?? 0}` : `by ${signal}`;
    const last = stderr === undefined ? '' : `; it wrote: ${stderr}`;
    return `The program of the MCP server ${server} ended ${how}${last}`;
  },
  server_hung_up: ({ server }) => `The MCP server ${server} closed the connection`,
  server_http_status: ({ server, status, text }) =>
    `The MCP server ${server} answered with HTTP status ${status}${text === '' ? '' : `: ${asClause(text)}`}`,
  server_session_ended: ({ server }) => `The MCP server ${server} has ended the session`,
  server_unauthorized: ({ server, status }) =>
    `The MCP server ${server} refuses the credentials of mcpServers.${server}.headers (HTTP status ${status})`,
  server_login_needed: ({ server, scope }) =>
    scope === undefined
      ? `The MCP server ${server} needs a login`
      : `The MCP server ${server} needs a login with the scopes ${scope}`,
  server_login_failed: ({ server, problem }) =>
    `The login to the MCP server ${server} failed: ${asClause(problem)}`,
  composio_key_refused: ({ status }) => `Composio refuses the API key (HTTP status ${status})`,
  server_stopped: ({ server }) => `The MCP server ${server} was stopped before it answered`,
  server_protocol_error: ({ server, problem }) =>
    `The MCP server ${server} does not follow MCP: it ${problem}`,
  server_waiting: ({ server, retryMs, because }, render) =>
    `The MCP server ${server} failed and is tried again in ${Math.ceil(retryMs / 1000)} seconds. ${asSentence(render.reason(because))}`,
  server_full: ({ server, running }) =>
    `The MCP server ${server} is busy with ${running} calls, and too many are waiting`,
  server_timeout: ({ server, timeoutMs }) =>
    `The MCP server ${server} did not answer within ${timeoutMs / 1000} seconds`,
  server_message_too_large: ({ server, maxBytes }) =>
    `The MCP server ${server} sent a message of more than ${Math.floor(maxBytes / 1_048_576)} MiB`,
  server_refused: ({ server, rpcCode, message }) =>
    `The MCP server ${server} answered with error ${rpcCode}: ${asClause(message)}`,
  server_tool_failed: ({ tool }) => `${tool} ran and reported an error`,
  server_connections_full: ({ server, max }) =>
    `The MCP server ${server} has ${max} connections for different callers, all of them in use`,
  server_request_unsupported: ({ server, method }) =>
    `The MCP server ${server} asked for ${method}, which is not available in this call`,
  server_asks_too_often: ({ server, max }) =>
    `The MCP server ${server} asked more than ${max} questions in one call`,
  sampling_not_allowed: ({ server, tool }) =>
    `The MCP server ${server} wants to ask a model for a caller that may not use ${tool}`,
  parked_calls_full: ({ server }) =>
    `The MCP server ${server} asks a question, but too many calls wait for answers already`,
  parked_call_gone: ({ server }) =>
    `The call of the MCP server ${server} that asked this is over; answers are accepted for 10 minutes`,
  parked_call_restarted: ({ server }) =>
    `EX-AI was restarted while the MCP server ${server} waited for this answer`,
  tool_quarantined: ({ tool, change, decision }) =>
    decision === 'rejected'
      ? `${tool} is quarantined: its owner rejected this definition`
      : `${tool} is quarantined: ${QUARANTINED[change]}, and the owner has not approved it`,
};
