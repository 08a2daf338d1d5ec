import { ERROR_CLASSES, ERROR_POLICY, type ErrorPolicy } from '#core/errors/error-class.ts';

const RETRY: Record<ErrorPolicy['retry'], string> = {
  never: 'no',
  backoff: 'yes, after a pause',
  after: 'yes, when `retry_after` says',
};

const BREAKER: Record<ErrorPolicy['breaker'], string> = {
  ignore: '–',
  window: 'counts',
  open_key: 'opens for the key',
  open_until_retry_after: 'opens until `retry_after`',
};

/** docs/errors.md: the policy table as a person reads it. */
export function errorsPage(): string {
  const lines = ERROR_CLASSES.map((name) => {
    const { meaning, status, rpcCode, exit, retry, fallback, breaker } = ERROR_POLICY[name];
    const cells = [
      `\`${name}\``,
      meaning,
      status,
      rpcCode,
      exit,
      RETRY[retry],
      fallback ? 'yes' : 'no',
      BREAKER[breaker],
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return `# Errors

Every failure, at every door, has one of these classes. It stands in the envelope as \`error_class\`, in JSON-RPC
errors as \`error.data.error_class\`, in other HTTP bodies as \`error.class\`, and decides the exit code of \`exai\`. The list
is closed: nothing else is ever reported.

- **HTTP**, **JSON-RPC**, **exit**: the status, the error code and the exit code of the command line.
  HTTP itself requires three further statuses: a wrong method is \`bad_request\` with 405, headers over their limit are
  \`too_large\` with 431, and a request that never ends is \`timeout\` with 408. MCP has its own
  codes: what it calls a parse error, an invalid request, an unknown method or wrong params keeps -32700 to -32600; an
  unknown tool, prompt or resource is -32602 (a resource -32002 before 2026-07-28), a session that is not there -32001, other
  refusals of HTTP -32000, headers that differ from the body -32020, something the client cannot be asked -32021, an unknown
  revision -32022. Every other failure of a call is a result with \`isError\`.
- **Try again?** whether the very same request may succeed later.
- **Fallback**: whether the next provider of the chain is tried before you see the error.
- **Breaker**: what it does to the circuit breaker of the provider.

| class | what happened | HTTP | JSON-RPC | exit | try again? | fallback | breaker |
|---|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
}
