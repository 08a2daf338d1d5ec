import type { PdfAnnotation } from './pdf-library.ts';

/** The values of form fields, and notes that readers wrote on the page. */
export function renderFields(
  annotations: readonly PdfAnnotation[],
  appearances: ReadonlyMap<string, string> = new Map(),
): string {
  const seen = new Set<string>();
  const lines: string[] = [];
  for (const annotation of annotations) {
    const shown = oneLine(appearances.get(annotation.id ?? '') ?? '');
    const line = renderAnnotation(annotation) ?? (shown === '' ? undefined : `- ${shown}`);
    if (line === undefined || seen.has(line)) continue;
    seen.add(line);
    lines.push(line);
  }
  return lines.join('\n');
}

function renderAnnotation(annotation: PdfAnnotation): string | undefined {
  if (annotation.hidden === true) return undefined;
  if (annotation.subtype === 'Widget') {
    const value = fieldValue(annotation);
    if (value === '') return undefined;
    const name = oneLine(annotation.alternativeText ?? '') || oneLine(annotation.fieldName ?? '');
    return name === '' ? `- ${value}` : `- ${name}: ${value}`;
  }
  if (annotation.subtype === 'FreeText' || annotation.subtype === 'Text') {
    const text = oneLine(annotation.contentsObj?.str ?? '');
    return text === '' ? undefined : `> ${text}`;
  }
  return undefined;
}

function fieldValue({
  fieldType,
  fieldValue: value,
  options,
  checkBox,
  radioButton,
  buttonValue,
  exportValue,
  password,
}: PdfAnnotation): string {
  if (fieldType === 'Sig' || password === true) return '';
  if (fieldType === 'Btn') {
    if (checkBox === true) return value === exportValue && value !== 'Off' ? '☒' : '☐';
    if (radioButton === true && value === buttonValue && typeof value === 'string') return value;
    return '';
  }
  const values = (Array.isArray(value) ? value : [value]).filter(
    (each): each is string => typeof each === 'string',
  );
  const shown = values.map(
    (each) => options?.find((option) => option.exportValue === each)?.displayValue ?? each,
  );
  return oneLine(shown.join(', '));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
