/** Threads of messages (RFC 5256 section 3, "THREAD"). Pure, except that it lets other work run. Except for sorting, the time is linear
 *  for any headers. */
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { sortInTurns } from "./sort-in-turns.ts";

export interface ThreadedMessage {
  readonly uid: number;
  /** Sent date. */
  readonly time: number;
  /** Base subject as it compares, "" for none. */
  readonly subject: string;
  /** The subject has the prefix of an answer or a forward. */
  readonly isReply: boolean;
  /** "" for none. */
  readonly id: string;
  readonly references: readonly string[];
}

/** A message and its answers. */
export interface ThreadNode {
  /** undefined: a message that is not in the mailbox, with several answers. Only at the top. */
  readonly uid: number | undefined;
  readonly children: readonly ThreadNode[];
}

/** ORDEREDSUBJECT: messages of one subject, all others below the first. */
export async function threadBySubject(messages: readonly ThreadedMessage[]): Promise<ThreadNode[]> {
  const turns = new LoopTurns();
  const bySubject = new Map<string, ThreadedMessage[]>();
  for (const message of await sortInTurns(messages, byTime)) {
    const same = bySubject.get(message.subject);
    if (same === undefined) bySubject.set(message.subject, [message]);
    else same.push(message);
    if (turns.isDue) await turns.turn();
  }
  // The first message of each thread was found in the order of time, so the threads are in that order too.
  const threads: ThreadNode[] = [];
  for (const [first, ...others] of bySubject.values()) {
    threads.push({ uid: first!.uid, children: others.map(({ uid }) => ({ uid, children: noNodes })) });
    if (turns.isDue) await turns.turn();
  }
  return threads;
}

/** A node of the tree while it is built. A node without a message stands for an id that other messages refer to. */
interface Node {
  readonly uid: number | undefined;
  readonly message: ThreadedMessage | undefined;
  parent: Node | undefined;
  /** `noNodes` until there is one: most nodes have none, and a list for each of 100,000 nodes would slow down garbage collection. */
  children: readonly Node[];
  /** Nearest node above that is a message, or else the top of the tree; found once. */
  anchor: Node | undefined;
  /** For the sets of joined nodes: finds most loops without walking up the tree. */
  joined: Node;
}

function newNode(message?: ThreadedMessage): Node {
  const node: Omit<Node, "joined"> & { joined?: Node } = {
    uid: message?.uid,
    message,
    parent: undefined,
    children: noNodes,
    anchor: undefined,
  };
  node.joined = node as Node;
  return node as Node;
}

const noNodes: readonly never[] = [];

function addChild(node: Node, child: Node): void {
  if (node.children === noNodes) node.children = [child];
  else (node.children as Node[]).push(child);
}

/** Bound on the steps up the tree to find loops, for each message on average. Only headers that contradict each other need such steps.
 *  Beyond the bound, a link that may make a loop is left out. */
const stepsPerMessage = 100;

/** REFERENCES. The numbers are those of the algorithm's steps. Messages come in the order of the mailbox. */
export async function threadByReferences(messages: readonly ThreadedMessage[]): Promise<ThreadNode[]> {
  const turns = new LoopTurns();
  const nodes = await linkMessages(messages, turns);
  const roots = await dropDummies(nodes, turns);
  await sortTree(roots, turns);
  const merged = await mergeSubjects(await sortInTurns(roots, byNodeTime), turns);
  await sortTree(merged, turns);
  return sortInTurns(merged, byNodeTime);
}

/** Step 1: the links that the headers name. */
async function linkMessages(messages: readonly ThreadedMessage[], turns: LoopTurns): Promise<Node[]> {
  const byId = new Map<string, Node>();
  const nodes: Node[] = [];
  // Messages first, so that the first of those with the same id has it.
  for (const message of messages) {
    const node = newNode(message);
    nodes.push(node);
    const { id } = message;
    if (id !== "" && !byId.has(id)) byId.set(id, node);
    if (turns.isDue) await turns.turn();
  }
  const nodeOf = (id: string): Node => {
    let node = byId.get(id);
    if (node === undefined) {
      node = newNode();
      nodes.push(node);
      byId.set(id, node);
    }
    return node;
  };
  let steps = messages.length * stepsPerMessage;
  /** Whether the child is the parent, or an ancestor of it. */
  const makesLoop = (parent: Node, child: Node): boolean => {
    if (findJoined(parent) !== findJoined(child)) return false;
    for (let above: Node | undefined = parent; above !== undefined; above = above.parent)
      if (above === child || --steps < 0) return true;
    return false;
  };
  const link = (parent: Node, child: Node): void => {
    child.parent = parent;
    join(parent, child);
  };
  for (const [at, message] of messages.entries()) {
    const node = nodes[at]!;
    let previous: Node | undefined;
    for (const id of message.references) {
      const next = nodeOf(id);
      // 1 A: a link that is there stays.
      if (previous !== undefined && next.parent === undefined && !makesLoop(previous, next))
        link(previous, next);
      previous = next;
    }
    // 1 B: the parent that the message itself names is used, and a link to another parent is removed.
    if (node.parent !== previous) {
      node.parent = undefined;
      if (previous !== undefined && !makesLoop(previous, node)) link(previous, node);
    }
    if (turns.isDue) await turns.turn();
  }
  return nodes;
}

function findJoined(node: Node): Node {
  let found = node;
  while (found.joined !== found) {
    found.joined = found.joined.joined;
    found = found.joined;
  }
  return found;
}

function join(a: Node, b: Node): void {
  findJoined(a).joined = findJoined(b);
}

/** Steps 2 and 3: each message is put below its nearest ancestor with a message. A dummy stays only at the top, above two or more. */
async function dropDummies(nodes: readonly Node[], turns: LoopTurns): Promise<Node[]> {
  for (const node of nodes) {
    if (node.message !== undefined && node.parent !== undefined) addChild(anchorOf(node), node);
    if (turns.isDue) await turns.turn();
  }
  const roots: Node[] = [];
  for (const node of nodes) {
    if (node.parent !== undefined) continue;
    if (node.message !== undefined || node.children.length > 1) roots.push(node);
    else roots.push(...node.children);
    if (turns.isDue) await turns.turn();
  }
  return roots;
}

/** The anchor of a node with a parent. It is stored in every node on the way. */
function anchorOf(node: Node): Node {
  const way: Node[] = [];
  let at = node;
  while (at.anchor === undefined) {
    way.push(at);
    const parent = at.parent!;
    if (parent.message !== undefined || parent.parent === undefined) {
      at.anchor = parent;
      break;
    }
    at = parent;
  }
  const anchor = at.anchor!;
  for (const one of way) one.anchor = anchor;
  return anchor;
}

/** Step 5: trees with the same subject are joined. The others are put below a dummy, or else below the first tree that is not an answer,
 *  or else below the first tree. So a tree that is earlier in the list may become a child. */
async function mergeSubjects(roots: readonly Node[], turns: LoopTurns): Promise<Node[]> {
  const subjectOf = (node: Node): ThreadedMessage => node.message ?? node.children[0]!.message!;
  const table = new Map<string, Node>();
  for (const root of roots) {
    const { subject } = subjectOf(root);
    if (subject === "") continue;
    const found = table.get(subject);
    const isBetter =
      found === undefined ||
      (found.message !== undefined &&
        (root.message === undefined || (found.message.isReply && !root.message.isReply)));
    if (isBetter) table.set(subject, root);
    if (turns.isDue) await turns.turn();
  }
  const gone = new Set<Node>();
  const added = new Map<Node, Node>();
  for (const root of roots) {
    const { subject } = subjectOf(root);
    const first = subject === "" ? undefined : table.get(subject);
    if (first === undefined || first === root) continue;
    gone.add(root);
    if (first.message === undefined)
      for (const child of root.message === undefined ? root.children : [root]) addChild(first, child);
    else if (root.message?.isReply && !first.message.isReply) addChild(first, root);
    else {
      const both = newNode();
      both.children = [first, root];
      added.set(first, both);
      table.set(subject, both);
    }
    if (turns.isDue) await turns.turn();
  }
  const merged: Node[] = [];
  for (const root of roots) {
    if (!gone.has(root)) merged.push(added.get(root) ?? root);
    if (turns.isDue) await turns.turn();
  }
  return merged;
}

/** Steps 4 and 6: siblings by sent date, a dummy by its first child's. */
async function sortTree(roots: readonly Node[], turns: LoopTurns): Promise<void> {
  // Dummies are at the top alone, and what is below them is sorted before they are compared.
  const open = [...roots];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.children.length > 1) node.children = await sortInTurns(node.children, byNodeTime);
    for (const child of node.children) open.push(child);
    if (turns.isDue) await turns.turn();
  }
}

function byNodeTime(a: Node, b: Node): number {
  return byTime(a.message ?? a.children[0]!.message!, b.message ?? b.children[0]!.message!);
}

function byTime(a: ThreadedMessage, b: ThreadedMessage): number {
  return a.time - b.time || a.uid - b.uid;
}
