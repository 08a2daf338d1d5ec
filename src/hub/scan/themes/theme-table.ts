import type { ScanTheme } from '#core/messages/scan-themes.ts';
import { MACHINE_THEMES } from './table/machine.ts';
import { MODEL_RULE_THEMES } from './table/model-rules.ts';
import { OTHER_TOOL_THEMES } from './table/other-tools.ts';
import { PRIVATE_DATA_THEMES } from './table/private-data.ts';
import { USER_THEMES } from './table/user.ts';
import type { Theme } from './theme.ts';

/** All themes. Their weights were chosen on labelled definitions of several authors. */
export const THEMES: Readonly<Record<ScanTheme, Theme>> = {
  ...PRIVATE_DATA_THEMES,
  ...USER_THEMES,
  ...MODEL_RULE_THEMES,
  ...OTHER_TOOL_THEMES,
  ...MACHINE_THEMES,
};
