import type { XmlElement } from '../xml/xml-node.ts';

/** Fields in a paragraph: an instruction, then the result that is shown. */
export interface DocxFields {
  /** Follows the start, middle and end of a field; the text of a form's check box. */
  mark(element: XmlElement): string;
  addInstruction(text: string): void;
  isInInstruction(): boolean;
  /** The address of the field around, if it is a hyperlink. */
  link(): string | undefined;
}

interface Field {
  instruction: string;
  isResult: boolean;
}

export function createFields(): DocxFields {
  const open: Field[] = [];
  return {
    mark(element) {
      const type = element.get('fldCharType');
      if (type === 'begin') {
        const box = element.path('ffData', 'checkBox');
        const text = box === undefined ? '' : checkBox(box);
        open.push({ instruction: '', isResult: false });
        // The box is the field itself: it has no result.
        if (text !== '') (open.at(-1) as Field).isResult = true;
        return text;
      }
      const field = open.at(-1);
      if (type === 'separate' && field !== undefined) field.isResult = true;
      else if (type === 'end') open.pop();
      return '';
    },
    addInstruction(text) {
      const field = open.at(-1);
      if (field !== undefined) field.instruction += text;
    },
    isInInstruction: () => open.some(({ isResult }) => !isResult),
    link() {
      for (const { instruction } of open.toReversed()) {
        const address = /^\s*HYPERLINK\s+"([^"]+)"/.exec(instruction)?.[1];
        if (address !== undefined) return address;
      }
      return undefined;
    },
  };
}

function checkBox(box: XmlElement): string {
  const state = box.child('checked') ?? box.child('default');
  const isOn = state !== undefined && !/^(?:0|false)$/.test(state.get('val') ?? '');
  return isOn ? '☒' : '☐';
}
