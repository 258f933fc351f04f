import { labelsOf, squash } from './accessible.ts';
import { chosenOptions, type DomElement, inputType, isDisabled, optionsOf, optionValue, valueOf } from './dom.ts';

const maxForms = 20;
const maxFields = 50;
const maxTables = 10;
const maxRows = 50;
const maxCells = 20;
const maxOptions = 50;
const sensitive = /(pass(?:word)?|secret|token|api[_-]?key|auth|credential|card|cvv)/i;

/** The refs of a snapshot: number to what the upstream looks for. */
export type Refs = Map<string, RefTarget>;

/** What a ref means to the upstream: role, name as read from a line, position among equal names. */
export interface RefTarget {
  readonly role: string;
  readonly name: string;
  readonly nth: number;
  /** Address of the frame; absent in the main document. */
  readonly frameUrl?: string;
}

/** The `structure` that 1.17 sends beside a snapshot: forms and tables of the main document, values of secrets left out. */
export function structureOf(root: DomElement, refs: Refs) {
  const refOf = new Map([...refs].map(([ref, { role, name, nth }]) => [`${role}:${name}:${nth}`, ref]));
  const withRef = (label: string, role: string) => {
    const ref = label === '' ? undefined : refOf.get(`${role}:${label}:0`);
    return ref === undefined ? {} : { ref };
  };
  const allForms = root.all(({ tag }) => tag === 'form');
  const allTables = root.all(({ tag }) => tag === 'table');
  const tables = allTables.slice(0, maxTables).map(tableOf);
  return {
    forms: allForms.slice(0, maxForms).map((form) => formOf(form, withRef)),
    formsTruncated: allForms.length > maxForms,
    tables,
    tablesTruncated: allTables.length > maxTables,
    evidenceLimits: tables.map((table) => ({
      source: 'table',
      tableId: table.id,
      tableLabel: table.label,
      availableDimensions: table.headers,
      visibleRowCount: table.rowCount,
      rowsTruncated: table.rowsTruncated,
    })),
  };
}

type WithRef = (label: string, role: string) => { ref?: string };

function formOf(form: DomElement, withRef: WithRef) {
  const fields = form.all(
    (one) =>
      /^(select|textarea)$/.test(one.tag) ||
      (one.tag === 'input' && !/^(hidden|submit|reset|button|image)$/.test(inputType(one))),
  );
  const submits = form.all((one) => one.tag === 'button' || /^(submit|image)$/.test(inputType(one)));
  return {
    label: labelOf(form) || undefined,
    id: form.get('id') || undefined,
    name: form.get('name') ?? undefined,
    method: (form.get('method') ?? 'get').toLowerCase(),
    fields: fields.slice(0, maxFields).map((field) => fieldOf(field, withRef)),
    fieldsTruncated: fields.length > maxFields,
    submitControls: submits.slice(0, maxFields).map((one) => {
      const label = labelOf(one) || cut(one.tag === 'button' ? (one.get('value') ?? '') : valueOf(one));
      const about = {
        label,
        id: one.get('id') || undefined,
        name: one.get('name') ?? undefined,
        disabled: isDisabled(one),
      };
      return { ...about, ...withRef(label, 'button') };
    }),
  };
}

function fieldOf(element: DomElement, withRef: WithRef) {
  const { tag } = element;
  const type = (element.get('type') ?? (tag === 'select' ? 'select' : '')).toLowerCase();
  const role = tag === 'select' ? 'combobox' : type === 'checkbox' || type === 'radio' ? type : 'textbox';
  const label = labelOf(element);
  const secret =
    type === 'password' ||
    sensitive.test(`${element.get('id') ?? ''} ${element.get('name') ?? ''} ${element.get('autocomplete') ?? ''}`);
  const options = tag === 'select' ? optionsOf(element) : [];
  const chosen = tag === 'select' ? chosenOptions(element) : [];
  return {
    label,
    role,
    tag,
    type,
    id: element.get('id') || undefined,
    name: element.get('name') ?? undefined,
    disabled: isDisabled(element),
    ...(secret || type === 'file' ? {} : { value: cut(valueOf(element)) }),
    ...(tag === 'select'
      ? {
          options: options.slice(0, maxOptions).map((option) => ({
            label: cut(option.text),
            value: optionValue(option),
            selected: chosen.includes(option),
          })),
          optionsTruncated: options.length > maxOptions,
        }
      : {}),
    ...withRef(label, role),
  };
}

function tableOf(table: DomElement) {
  const headers = table
    .all((one) => one.tag === 'th' && one.closest(({ tag }) => tag === 'thead') !== null)
    .map((cell) => cut(cell.text));
  const rows = table.all((one) => one.tag === 'tr' && (one.parent?.tag === 'tbody' || one.parent?.tag === 'table'));
  return {
    label: labelOf(table) || undefined,
    id: table.get('id') || undefined,
    headers,
    columns: headers,
    rowCount: rows.length,
    rows: rows.slice(0, maxRows).map((row) =>
      row
        .all(({ tag }) => tag === 'td' || tag === 'th')
        .slice(0, maxCells)
        .map((cell) => cut(cell.text)),
    ),
    rowsTruncated: rows.length > maxRows,
  };
}

function labelOf(element: DomElement): string {
  const aria = element.get('aria-label');
  if (aria) return cut(aria);
  const labels = labelsOf(element);
  const label = labels.find((one) => one.has('for')) ?? labels[0];
  if (label !== undefined) return cut(label.text);
  return cut(element.get('title') || element.get('name') || element.get('id') || '');
}

const cut = (text: string) => squash(text).slice(0, 300);
