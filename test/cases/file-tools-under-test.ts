import type { Threads } from '#core/threads.ts';
import type { AskListener, AskReport, AskRequest } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Tool, ToolContext, ToolResult } from '#core/tools/tool.ts';
import type { FileIntake } from '#core/files/file-intake.ts';
import { chat } from '#tools/chat.ts';
import { describeImage } from '#tools/describe-image.ts';
import { fileChat } from '#tools/file-chat/file-chat.ts';
import { kimiMultiFileChat } from '#tools/kimi-files/multi-file-chat.ts';
import type { IntakeBench } from '../../src/files/intake/intake.fixture.ts';
import type { AskRig } from './ask-under-test.ts';
import { NO_TOOL_LOOP } from '../no-tools.ts';

/** The tools that answer about files. */
export const FILE_TOOLS = ['file_chat', 'kimi_multi_file_chat', 'chat'] as const;
export type FileToolName = (typeof FILE_TOOLS)[number];

export interface FileAnswer {
  readonly result?: ToolResult;
  readonly error?: CallError;
  readonly report?: AskReport;
}

/** Calls the tools on a real manager, a real intake and real conversations. */
export function fileToolsOf(
  rig: AskRig,
  bench: IntakeBench,
  threads: Threads,
  fileIntake: FileIntake = bench.intake,
) {
  const deps = {
    threads,
    fileIntake,
    uploads: rig.uploads,
    locale: '',
    toolLoop: NO_TOOL_LOOP,
  };
  const tools: readonly Tool[] = [
    chat(deps),
    describeImage(deps),
    fileChat(deps),
    kimiMultiFileChat(deps),
  ];
  return async function call(
    name: FileToolName | 'describe_image',
    args: Readonly<Record<string, unknown>>,
  ): Promise<FileAnswer> {
    const tool = tools.find((each) => each.name === name) as Tool;
    const by = rig.by({ tool: name });
    const caller = { ...by.caller, ...bench.caller().caller };
    const reports: AskReport[] = [];
    const context = {
      ...by,
      caller,
      args,
      answers: {},
      clientCapabilities: [],
      progress: () => undefined,
      ask: (request: AskRequest, listener: AskListener) =>
        rig.manager.ask(
          request,
          { ...by, caller },
          { ...listener, onReport: (report) => void reports.push(report) },
        ),
    } as unknown as ToolContext;
    try {
      const result = (await tool.run(tool.parse(args), context)) as ToolResult;
      return { result, ...(reports[0] && { report: reports[0] }) };
    } catch (thrown) {
      return { error: CallError.from(thrown), ...(reports[0] && { report: reports[0] }) };
    }
  };
}
