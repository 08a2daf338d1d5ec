import type { WrapperName } from '#core/tools/tool-name.ts';

interface NamedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The call as the client can make it: through the wrapper if it called the tool through one. */
export function throughWrapper(call: NamedCall, via: WrapperName | undefined): NamedCall {
  const { tool, arguments: args } = call;
  return via === undefined ? call : { tool: via, arguments: { name: tool, arguments: args } };
}

/** `call_tool {"name":"precommit","arguments":{…}}`, for the text that a model reads. */
export function wrappedCallText(call: NamedCall, via: WrapperName): string {
  return `${via} ${JSON.stringify(throughWrapper(call, via).arguments)}`;
}
