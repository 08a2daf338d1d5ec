import { asList, asObject, type JsonObject, type Unknown } from '#core/json/json.ts';
import type { ComposioExecution } from './composio-api.ts';
import { isExecution, messageOf, readData, failureOfExecution } from './execution-fields.ts';

/** The outer object that every execution of the vendor ends with. */
export interface OuterAnswer {
  readonly successful: boolean;
  readonly data: Unknown;
  readonly error: string | null;
  readonly logId: string;
}

/** An item of a batch: its response or its error. */
export interface BatchItem {
  readonly index: number;
  readonly slug: string;
  readonly error?: string;
}

export const fromExecution = ({ data, error, logId }: ComposioExecution): OuterAnswer => ({
  successful: error === null,
  data,
  error,
  logId,
});

/** The outer object in the text of an MCP result; undefined where it holds something else. */
export function readOuter(result: JsonObject): OuterAnswer | undefined {
  const [first] = asList(result['content']);
  const text = asObject(first)?.['text'];
  if (typeof text !== 'string' || !text.trimStart().startsWith('{')) return undefined;
  let outer: Unknown | undefined;
  try {
    outer = asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
  if (!outer || !isExecution(outer)) return undefined;
  const { log_id: logId } = outer;
  const error = failureOfExecution(outer);
  return {
    successful: error === null,
    data: readData(outer),
    error,
    logId: typeof logId === 'string' ? logId : '',
  };
}

/** The items of a batch, in their order. */
export function itemsOf({ data }: OuterAnswer): readonly BatchItem[] {
  return asList(data['results']).map((item, at) => {
    const given = asObject(item);
    const { index, tool_slug: slug, error, response } = given ?? {};
    const inner = responseOf(response);
    const failure = given
      ? (messageOf(error) ??
        (inner?.['successful'] === false ? failureOfExecution(inner) : undefined))
      : 'it has no answer that can be read';
    return {
      index: typeof index === 'number' ? index : at,
      slug: typeof slug === 'string' ? slug : '',
      ...(typeof failure === 'string' && { error: failure }),
    };
  });
}

/** Some responses of items are JSON texts. */
export function responseOf(response: unknown): Unknown | undefined {
  if (typeof response !== 'string') return asObject(response);
  try {
    return asObject(JSON.parse(response));
  } catch {
    return undefined;
  }
}

/** An answer as the result of `tools/call`; `notes` are for the model and its user. */
export function toMcpResult(
  { successful, data, error, logId }: OuterAnswer,
  notes: readonly string[] = [],
  isError = !successful,
): JsonObject {
  const outer = { successful, data, error, ...(logId !== '' && { log_id: logId }) };
  return {
    content: [JSON.stringify(outer), ...notes].map((text) => ({ type: 'text', text })),
    isError,
  };
}
