/** The part of pdf.js that is used here; its own types need those of a browser. */
export interface PdfLibrary {
  getDocument(options: object): {
    readonly promise: Promise<PdfDocument>;
    destroy(): Promise<void>;
  };
  readonly OPS: Readonly<Record<string, number>>;
}

export interface PdfDocument {
  readonly numPages: number;
  getPage(number: number): Promise<PdfPage>;
  getMetadata(): Promise<{ readonly info: Readonly<Record<string, unknown>> }>;
  getAttachments(): Promise<Readonly<Record<string, { readonly filename?: string }>> | null>;
  getOutline(): Promise<readonly PdfOutlineNode[] | null>;
  readonly loadingTask: { destroy(): Promise<void> };
}

export interface PdfOutlineNode {
  readonly title: string;
  readonly items: readonly PdfOutlineNode[];
}

export interface PdfPage {
  /** Left, bottom, right and top of the visible part, in points. */
  readonly view: readonly number[];
  streamTextContent(): ReadableStream<PdfTextContent>;
  getAnnotations(): Promise<readonly PdfAnnotation[]>;
  getOperatorList(): Promise<PdfOperatorList>;
  cleanup(): boolean;
}

export interface PdfTextContent {
  readonly items: readonly PdfTextItem[];
  readonly styles: Readonly<Record<string, { readonly vertical?: boolean }>>;
}

export interface PdfTextItem {
  readonly str: string;
  readonly dir: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly fontName: string;
}

export interface PdfAnnotation {
  readonly id?: string;
  readonly subtype?: string;
  readonly pushButton?: boolean;
  readonly hasAppearance?: boolean;
  readonly fieldType?: string;
  readonly fieldName?: string;
  readonly fieldValue?: unknown;
  readonly alternativeText?: string;
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly buttonValue?: string;
  readonly exportValue?: string;
  readonly options?: readonly { readonly exportValue: string; readonly displayValue: string }[];
  readonly contentsObj?: { readonly str: string };
  readonly rect: readonly number[];
  readonly hidden?: boolean;
  readonly password?: boolean;
}

export interface PdfOperatorList {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}
