import { vscodeClient } from './vscode-family.ts';

// https://code.visualstudio.com/docs/copilot/reference/mcp-configuration; the user's profile is a folder of
// https://code.visualstudio.com/docs/configure/settings#_user-settingsjson-location.
export const vscode = vscodeClient('vscode', 'VS Code', 'Code');
