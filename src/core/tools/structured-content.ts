import type { JsonObject } from '../json/json.ts';
import type { Tool } from './tool.ts';

export interface StructuredContentOptions {
  /** The setting `tools.outputSchemas`. */
  readonly outputSchemas: boolean;
}

/**
 * Whether the output schema of a tool is listed and its results carry `structuredContent`. MCP
 * requires the second where the first is listed, so that one decision covers both.
 */
export function hasStructuredContent(
  tool: Pick<Tool, 'structuredContent'> | undefined,
  { outputSchemas }: StructuredContentOptions,
): boolean {
  return outputSchemas || tool?.structuredContent === 'always';
}

const PART_OF_ANSWER = {
  type: 'string',
  description: 'The first part of a long answer, or the text of an interrupted one.',
};
const NO_ANSWER = { type: 'null', description: 'A failure, or a call that continues as a job.' };

/**
 * The output schema for clients, which may validate every result: it also permits the content of
 * failures, jobs and pages.
 */
export function clientOutputSchema(schema: JsonObject): JsonObject {
  const properties = schema['properties'] as JsonObject | undefined;
  const content = properties?.['content'];
  if (content === undefined) return schema;
  const anyOf = [content, PART_OF_ANSWER, NO_ANSWER];
  return { ...schema, properties: { ...properties, content: { anyOf } } };
}
