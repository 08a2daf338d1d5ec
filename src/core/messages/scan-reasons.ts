import type { SentenceTable } from './coded-message.ts';
import { SCAN_THEMES, type ScanTheme } from './scan-themes.ts';

/** The place within a definition: `name`, `description`, `inputSchema.properties.path.description`. */
type Place = { readonly at: string };

/** What the scanner found in a definition of an MCP server. */
export interface ScanReasonParams {
  scan_instruction_override: Place;
  scan_prompt_disclosure: Place;
  scan_concealment: Place;
  scan_user_override: Place;
  scan_argument_override: Place;
  scan_scripted_message: Place;
  scan_role_claim: Place;
  scan_delayed_change: Place;
  /** The text changes how another tool is used. */
  scan_tool_interference: Place & { readonly tool: string };
  scan_secret_transfer: Place;
  scan_secret_access: Place;
  scan_side_channel: Place;
  scan_command: Place;
  scan_preference: Place;
  scan_context_request: Place;
  scan_hidden_markup: Place;
  scan_invisible_characters: Place & { readonly count: number };
  scan_bidirectional_characters: Place;
  scan_control_characters: Place;
  scan_mixed_scripts: Place;
  scan_encoded_payload: Place & { readonly encoding: string };
  scan_capability_mismatch: Place & { readonly capability: string };
  /** Another server has this tool, with nearly the same definition. */
  scan_shadowed_tool: Place & { readonly server: string };
  /** The text directs the model to a tool of another server. */
  scan_other_tool: Place & { readonly server: string; readonly tool: string };
  /** Several signs that together say that the text gives orders to the model. */
  scan_order_signs: Place & { readonly signs: readonly ScanTheme[] };
  /** The words of a definition as a whole are those of poisoned ones. */
  scan_wording: Place;
  /** Only a part of it was scanned. */
  scan_too_large: Place & { readonly maxChars: number };
}

export const SCAN_REASON_SENTENCES: SentenceTable<ScanReasonParams> = {
  scan_instruction_override: ({ at }) => `${at} tells the model to ignore its instructions`,
  scan_prompt_disclosure: ({ at }) => `${at} tells the model to reveal its system prompt`,
  scan_concealment: ({ at }) => `${at} tells the model to hide something from the user`,
  scan_user_override: ({ at }) => `${at} tells the model to disregard what the user asked for`,
  scan_argument_override: ({ at }) => `${at} tells the model to replace an argument`,
  scan_scripted_message: ({ at }) => `${at} tells the model what to say to the user`,
  scan_role_claim: ({ at }) => `${at} poses as a message of the system and gives orders`,
  scan_delayed_change: ({ at }) => `${at} announces another behaviour after the approval`,
  scan_tool_interference: ({ at, tool }) => `${at} changes how the tool ${tool} is used`,
  scan_secret_transfer: ({ at }) => `${at} directs secrets to another place`,
  scan_secret_access: ({ at }) => `${at} names files with secrets that the tool does not need`,
  scan_side_channel: ({ at }) => `${at} sends data to another place besides what the tool does`,
  scan_command: ({ at }) => `${at} tells the model to run a command`,
  scan_preference: ({ at }) => `${at} asks the model to prefer this tool to others`,
  scan_context_request: ({ at }) => `${at} asks for the conversation of the model`,
  scan_hidden_markup: ({ at }) => `${at} contains markup that addresses the model`,
  scan_invisible_characters: ({ at, count }) =>
    `${at} contains ${count} invisible ${count === 1 ? 'character' : 'characters'}`,
  scan_bidirectional_characters: ({ at }) =>
    `${at} contains characters that reverse the order of text`,
  scan_control_characters: ({ at }) => `${at} contains control characters`,
  scan_mixed_scripts: ({ at }) => `${at} mixes letters of several scripts that look alike`,
  scan_encoded_payload: ({ at, encoding }) =>
    `${at} contains commands or instructions encoded in ${encoding}`,
  scan_capability_mismatch: ({ at, capability }) =>
    `${at} describes an effect that the name of the tool does not suggest: ${capability}`,
  scan_shadowed_tool: ({ at, server }) =>
    `${at} is nearly the same as that of a tool of the MCP server ${server}`,
  scan_other_tool: ({ at, server, tool }) =>
    `${at} directs the model to the tool ${tool} of the MCP server ${server}`,
  scan_order_signs: ({ at, signs }) =>
    `${at} seems to give orders to the model: it ${signs.map(describeSign).join(', ')}`,
  scan_wording: ({ at }) =>
    `${at} is worded like definitions that misuse the model (by statistics, which can be wrong)`,
  scan_too_large: ({ at, maxChars }) =>
    `${at} is longer than the ${maxChars} characters that are scanned`,
};

/** Stored findings may have signs of another version. */
function describeSign(sign: ScanTheme): string {
  return Object.hasOwn(SCAN_THEMES, sign) ? SCAN_THEMES[sign] : sign.replaceAll('_', ' ');
}
