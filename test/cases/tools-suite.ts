import type { ToolCase } from './tools-case.ts';
import { SIMPLE_CASES } from './tools-simple-cases.ts';
import { WORKFLOW_CASES } from './tools-workflow-cases.ts';

/** Every tool, its usual way and its statuses. */
export const TOOL_CASES: readonly ToolCase[] = [...SIMPLE_CASES, ...WORKFLOW_CASES];
