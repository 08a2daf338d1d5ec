import type { Usage } from '#core/envelope.schema.ts';

/** Anthropic counts what came from the cache apart; nobody here tells what went into it. */
export function writeUsage(
  usage: Usage | undefined,
  searches: number,
): Readonly<Record<string, unknown>> {
  const { input = 0, output = 0, cached = 0, reasoning = 0 } = usage ?? {};
  return {
    input_tokens: Math.max(0, input - cached),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: output,
    ...(reasoning > 0 && { output_tokens_details: { thinking_tokens: reasoning } }),
    ...(searches > 0 && {
      server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 },
    }),
  };
}
