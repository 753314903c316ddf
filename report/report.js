/*
 * report.js - what a report does besides being read: sorts, filters, and turns light or dark.
 *
 * Without it the page is whole; the controls that need it are made by it, or hidden until it runs.
 */
'use strict';

/* ---- Sorting: numbers by their exact value, everything else as text; what is empty goes last. */

function keyOf(row, column) {
    const cell = row.cells[column];
    const exact = cell.dataset.sort;
    return exact === undefined ? cell.textContent.trim() : Number(exact);
}

function compare(a, b) {
    if (a === '' || b === '')
        return 0;
    if (typeof a === 'number' && typeof b === 'number')
        return a - b;
    return String(a).localeCompare(String(b), 'en', {numeric: true});
}

function sortTable(head) {
    const table = head.closest('table');
    const column = head.cellIndex;
    const falling = head.getAttribute('aria-sort') === 'ascending';
    const rows = [...table.tBodies[0].rows].map(row => ({row, key: keyOf(row, column)}));
    rows.sort((a, b) => (a.key === '') - (b.key === '') ||
                        (falling ? compare(b.key, a.key) : compare(a.key, b.key)));
    for (const other of table.tHead.rows[0].cells)
        other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
    table.tBodies[0].append(...rows.map(item => item.row));
}

for (const button of document.querySelectorAll('table.sortable thead button'))
    button.addEventListener('click', () => sortTable(button.closest('th')));

/* ---- Filter: a row stays when its first cells (design, workload, sizes, phase) have every word. */

const cells = document.querySelector('#cells h2');
if (cells) {
    const label = document.createElement('label');
    const filter = document.createElement('input');
    label.className = 'filter';
    label.append('Filter rows: ', filter, ' Press the head of a column to sort by it.');
    filter.id = 'filter';
    filter.type = 'search';
    filter.placeholder = 'heap standard';
    cells.after(label);
    filter.addEventListener('input', () => {
        const words = filter.value.toLowerCase().split(/\s+/);
        for (const row of document.querySelectorAll('#cells tbody tr')) {
            const name = [...row.cells].slice(0, 5).map(cell => cell.textContent).join(' ').toLowerCase();
            row.hidden = !words.every(word => name.includes(word));
        }
    });
}

/* ---- A flag stays whole where it fits a line: a browser would break it behind its dashes. */

const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const flagged = [];
while (texts.nextNode())
    if (/(^|\s)\(?--[a-z]/.test(texts.currentNode.data) && !texts.currentNode.parentElement.closest('pre, script, style, svg'))
        flagged.push(texts.currentNode);
for (const text of flagged)
    text.replaceWith(...text.data.split(/((?<!\S)\(?--[a-z]\S*)/).map((part, i) => {
        if (i % 2 === 0)
            return part;
        const flag = document.createElement('span');
        flag.className = 'flag';
        flag.textContent = part;
        return flag;
    }));

/* ---- Light or dark: first as the system says, then as the reader does. */

const theme = document.getElementById('theme');
const dark = matchMedia('(prefers-color-scheme: dark)');

function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === 'dark' : dark.matches;
}

function nameTheme() {
    theme.textContent = isDark() ? 'Light' : 'Dark';
}

theme.hidden = false;
theme.addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    nameTheme();
});
dark.addEventListener('change', nameTheme);
nameTheme();

/* ---- On paper everything is open. */

addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll('details'))
        details.open = true;
});
