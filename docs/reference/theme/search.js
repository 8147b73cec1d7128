/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
"use strict";

const root = document.currentScript.dataset.root;
const field = document.getElementById("search");
const found = document.getElementById("found");
const MOST = 30;

let sections = null;

/* The index is a script, as a page that was opened from a file may not fetch one. */
function load() {
  if (load.begun)
    return;
  load.begun = true;
  const script = document.createElement("script");
  script.src = `${root}/search/index.js`;
  script.onload = () => {
    sections = window.searchIndex.docs.map(doc => ({
      ...doc,
      lowTitle: doc.title.toLowerCase(),
      low: `${doc.title} ${doc.text}`.toLowerCase(),
    }));
    show();
  };
  document.head.append(script);
}

/* A title that is what was asked for comes first, then titles with the words. */
function rank(section, words) {
  if (section.lowTitle === words.join(" "))
    return 0;
  return words.every(word => section.lowTitle.includes(word)) ? 1 : 2;
}

function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(word => word);
  if (!words.length || !sections)
    return [];
  return sections
    .filter(section => words.every(word => section.low.includes(word)))
    .map(section => ({ section, rank: rank(section, words) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map(result => result.section);
}

function show() {
  const results = search(field.value);
  found.replaceChildren(...results.map(section => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `${root}/${section.location}`;
    link.textContent = section.title;
    link.title = section.location;
    item.append(link);
    return item;
  }));
  if (sections && field.value.trim() && !results.length)
    found.textContent = "Nothing found";
  found.hidden = !field.value.trim();
}

field.addEventListener("focus", load);
field.addEventListener("input", show);
