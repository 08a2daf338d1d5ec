import type { JsonObject } from '#core/json/json.ts';
import type { ChatTool } from '#core/llm/chat.ts';
import type { JsonFields } from '../gateway/fields.ts';

/**
 * Anthropic's tools that the client runs itself. Its models know their arguments without being
 * told; other models get them as plain tools.
 */
interface ClientTool {
  /** The type without its date. */
  readonly type: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

const text = (description: string): JsonObject => ({ type: 'string', description });
const integers = (description: string): JsonObject => ({
  type: 'array',
  items: { type: 'integer' },
  description,
});

function schema(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required: [...required] };
}

const EDIT_ARGUMENTS: JsonObject = {
  path: text('Absolute path of the file or folder.'),
  file_text: text('For create: the content of the file.'),
  old_str: text('For str_replace: the text to replace, which must occur exactly once.'),
  new_str: text('For str_replace: the text in its place.'),
  insert_line: { type: 'integer', description: 'For insert: the line after which to insert.' },
  insert_text: text('For insert: the text to insert.'),
  view_range: integers('For view: first and last line.'),
};

const CLIENT_TOOLS: readonly ClientTool[] = [
  {
    type: 'bash',
    description: 'Runs a command in a persistent bash session and returns its output.',
    parameters: schema(
      {
        command: text('The command to run.'),
        restart: { type: 'boolean', description: 'Restarts the session instead.' },
      },
      [],
    ),
  },
  {
    type: 'text_editor',
    description: 'Views, creates and edits text files.',
    parameters: schema(
      {
        command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert', 'undo_edit'] },
        ...EDIT_ARGUMENTS,
      },
      ['command', 'path'],
    ),
  },
  {
    type: 'memory',
    description:
      'Stores and reads files below /memories, which stay for later conversations. View /memories before a task.',
    parameters: schema(
      {
        command: {
          type: 'string',
          enum: ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'],
        },
        ...EDIT_ARGUMENTS,
        old_path: text('For rename: the present path.'),
        new_path: text('For rename: the new path.'),
      },
      ['command'],
    ),
  },
  {
    type: 'computer',
    description: 'Uses the screen, the mouse and the keyboard of a computer.',
    parameters: schema(
      {
        action: {
          type: 'string',
          enum: [
            'screenshot',
            'key',
            'type',
            'mouse_move',
            'left_click',
            'left_click_drag',
            'right_click',
            'middle_click',
            'double_click',
            'triple_click',
            'left_mouse_down',
            'left_mouse_up',
            'cursor_position',
            'scroll',
            'hold_key',
            'wait',
            'zoom',
          ],
        },
        coordinate: integers('The position [x, y] in pixels.'),
        start_coordinate: integers('For left_click_drag: where it begins.'),
        text: text('The text to type, or the keys to press.'),
        scroll_direction: { type: 'string', enum: ['up', 'down', 'left', 'right'] },
        scroll_amount: { type: 'integer' },
        duration: { type: 'number', description: 'Seconds, for wait and hold_key.' },
        region: integers('For zoom: [x0, y0, x1, y1].'),
      },
      ['action'],
    ),
  },
];

const DATED = /^([a-z_]+?)_\d{8}$/;

/** The plain tool for one of Anthropic's client-side tools; undefined for every other type. */
export function clientTool(type: string, tool: JsonFields): Omit<ChatTool, 'name'> | undefined {
  const kind = DATED.exec(type)?.[1];
  const known = CLIENT_TOOLS.find((each) => each.type === kind);
  if (!known) return undefined;
  const { display_width_px: width, display_height_px: height } = tool;
  const size =
    typeof width === 'number' && typeof height === 'number'
      ? ` The screen has ${width} × ${height} pixels.`
      : '';
  return { description: known.description + size, parameters: known.parameters };
}
