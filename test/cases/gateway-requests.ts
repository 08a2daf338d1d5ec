import type { AskRequest } from '#core/llm/ask.ts';
import type { Delivery } from './ask-fault-row.ts';
import type { Shape } from './gateway-readers.ts';

/** Anthropic's clients must name one; so much that nothing is ever cut for it. */
const MAX_TOKENS = 8192;

/** A request as a client of that API writes it. */
export function bodyOf(shape: Shape, request: AskRequest, delivery: Delivery): object {
  const { model = 'auto', messages } = request;
  const common = { model, messages, ...(delivery === 'stream' && { stream: true }) };
  return shape === 'openai'
    ? { ...common, ...openAiParts(request, delivery) }
    : { ...common, max_tokens: MAX_TOKENS, ...anthropicParts(request) };
}

function openAiParts({ tools, responseFormat: format, search }: AskRequest, delivery: Delivery) {
  return {
    ...(delivery === 'stream' && { stream_options: { include_usage: true } }),
    ...(tools && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(format?.type === 'json_schema' && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: format.name, schema: format.schema, strict: true },
      },
    }),
    ...(search === 'on' && { web_search_options: {} }),
  };
}

function anthropicParts({ tools = [], responseFormat: format, search }: AskRequest) {
  const offered = [
    ...tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters,
    })),
    ...(search === 'on' ? [{ type: 'web_search_20250305', name: 'web_search' }] : []),
  ];
  return {
    ...(offered.length > 0 && { tools: offered }),
    ...(format?.type === 'json_schema' && {
      output_config: { format: { type: 'json_schema', schema: format.schema } },
    }),
  };
}
