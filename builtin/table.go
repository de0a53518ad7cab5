// SPDX-License-Identifier: Apache-2.0

package builtin

const (
	simpleKinds = "string|int|bool"
	section     = "semantics §5"
)

// Table lists every callable name. Its order is that of the language reference.
var Table = []Row{
	{
		Name: "format", Min: 1, Max: -1, Args: []string{"format: string", "value: any"}, Result: "string",
		Doc:  "Fills the verbs of a format as Go's package fmt does: %s for texts, %d for integers, %t for booleans, %q for texts in quotes, %v for anything. Lists, maps and templates are printed as YAML, lambdas as their text. A verb that does not fit its value, or has none, shows so in the text and is no error. The verb %T and widths above 10000 are refused.",
		Spec: section, Fn: format,
	},
	{
		Name: "error", Min: 1, Max: -1, Args: []string{"format: string", "value: any"}, Result: "none",
		Doc:  "Fails; the message is what format would make of the same arguments. It is useful behind || and in a branch of a condition.",
		Spec: section, Fn: fail,
	},
	{
		Name: "join", Min: 1, Max: -1, Args: []string{"separator: " + simpleKinds, "part: " + simpleKinds + "|list|nil"}, Result: "string",
		Doc:  "Puts the separator between the parts. A list contributes its elements, which must be simple values. Null arguments are skipped; if the separator is null, the next argument takes its place. Without any part the result is an empty text.",
		Spec: section, Fn: join,
	},
	{
		Name: "split", Min: 2, Max: 3, Args: []string{"separator: string|int", "text: string", "limit: int"}, Result: "list",
		Doc:  "Cuts the text at each separator. An empty separator yields the characters, an integer parts of that many characters. A limit that is not negative bounds the number of parts; the last one keeps the rest. Blanks around the parts stay, trim removes them.",
		Spec: section, Fn: split,
	},
	{
		Name: "trim", Min: 1, Max: 2, Args: []string{"text: string|list", "cutset: string"}, Result: "string|list",
		Doc:  "Removes blanks and tabs from both ends of a text, or of each element of a list of texts. With a cut set, the characters in it are removed instead. A line break stays unless it is in the cut set.",
		Spec: section, Fn: trim,
	},
	{
		Name: "uniq", Min: 1, Max: 1, Args: []string{"list: list"}, Result: "list",
		Doc:  "Keeps the first of equal elements. They are compared by ==, so a text equals the integer it spells.",
		Spec: section, Fn: uniq,
	},
	{
		Name: "contains", Min: 2, Max: 2, Args: []string{"in: list|string|map", "what: any"}, Result: "bool",
		Doc:  "Tells whether a list has an element that equals the value (==), a text has the given part, or a map has the given key. In a text and among keys, integers and booleans count as their text. Null is never found.",
		Spec: section, Fn: contains,
	},
	{
		Name: "index", Min: 2, Max: 2, Args: []string{"in: list|string", "what: any"}, Result: "int",
		Doc:  "Returns the position of the first element of a list that equals the value (==), or of the first such part of a text. Positions count from 0, in a text by bytes. If there is none the result is -1; null is never found.",
		Spec: section, Fn: index,
	},
	{
		Name: "lastindex", Min: 2, Max: 2, Args: []string{"in: list|string", "what: any"}, Result: "int",
		Doc:  "Returns the position of the last occurrence; all else is as for index, which its messages name.",
		Spec: section, Fn: lastindex,
	},
	{
		Name: "replace", Min: 3, Max: 4, Args: []string{"text: string", "old: string", "new: string", "limit: int"}, Result: "string",
		Doc:  "Replaces every occurrence of the old text by the new one, or only the first ones up to the limit; a negative limit means all. The old text is plain text, not a pattern. If it is empty, the new one is put before, between and behind all characters.",
		Spec: section, Fn: replace,
	},
	{
		Name: "match", Min: 2, Max: 2, Args: []string{"pattern: string", "text: " + simpleKinds + "|nil"}, Result: "list|bool",
		Doc:  "Looks for the first match of a regular expression (RE2 syntax) and returns a list of the whole match and its groups. A group that took no part is an empty text. If nothing matches the list is empty, which counts as false in a condition. A null text yields false.",
		Spec: section, Fn: match,
	},
	{
		Name: "length", Min: 1, Max: 1, Args: []string{"of: list|map|string"}, Result: "int",
		Doc:  "Counts the elements of a list, the entries of a map or the bytes of a text; a letter beyond ASCII has several. Null has no length.",
		Spec: section, Fn: length,
	},
	{
		Name: "defined", Min: 0, Max: -1, Args: []string{"expression: any"}, Result: "bool",
		Doc:  "Is true if each of the expressions can be evaluated and is not undefined. Null counts as defined. Of a list or map it looks at the node only, not at what is inside. It does not turn a broken document into a good one: if a node it asks for is itself reported as unresolved, then so is the expression with defined.",
		Spec: section, Special: true,
	},
	{
		Name: "valid", Min: 0, Max: -1, Args: []string{"expression: any"}, Result: "bool",
		Doc:  "Is defined with one more condition: null is not valid. Empty texts, lists and maps are, and so are 0 and false.",
		Spec: section, Special: true,
	},
	{
		Name: "require", Min: 1, Max: 1, Args: []string{"expression: any"}, Result: "any",
		Doc:  "Returns the value of the expression, and fails if that is null or undefined or cannot be evaluated. So require(x) || y replaces a null by y, where x || y keeps it.",
		Spec: section, Special: true,
	},
	{
		Name: "exec", Min: 1, Max: -1, Args: []string{"command: " + simpleKinds + "|list", "argument: " + simpleKinds + "|float|list|map|lambda|template"}, Result: "any",
		Doc:  "Runs a command and returns what it prints: a document if it begins with the line \"---\" or is a map, else an integer or a text, without final newlines. Lists and maps are passed to the command as YAML documents. A single list is a whole command line. The same command line runs once in a merge. It is an error if the command cannot be started or does not succeed.",
		Spec: section + ", §0.14", Fn: execute,
	},
	{
		Name: "eval", Min: 1, Max: 1, Args: []string{"expression: string"}, Result: "any",
		Doc:  "Evaluates a text as an expression, as if it stood in place of the call: with the names that are visible there, the path of the node and its stub value.",
		Spec: section, Special: true,
	},
	{
		Name: "env", Min: 1, Max: -1, Args: []string{"name: " + simpleKinds + "|list|nil"}, Result: "string|map",
		Doc:  "Returns an environment variable as a text; it must be set. For several names, or none, it returns a map of those that are set. Lists contribute their elements, nulls are skipped; a list of one name is like that name alone.",
		Spec: section, Fn: env,
	},
	{
		Name: "read", Min: 1, Max: 2, Args: []string{"file: string", "type: string"}, Result: "any",
		Doc:  "Reads a file; a relative name starts at the working directory. The type is yaml for the suffixes .yml, .yaml and .json, else text; the second argument, \"yaml\" or \"text\", overrules that. A text is returned as it is, with its final newline. A YAML file must hold one document. Its expressions are evaluated in place of the call, where they see first the nodes of the file and then the names around the call.",
		Spec: section + ", §0.15", Special: true,
	},
	{
		Name: "static_ips", Min: 1, Max: -1, Args: []string{"offset: int|list"}, Result: "list",
		Doc:  "Picks addresses by offset from the static ranges of a network, as many as there are instances. The nearest field name, seen from the call, says which entry of .networks it is; the nearest field instances is the number. The ranges of all subnets, \"a - b\" or single addresses, count as one sequence that begins with offset 0. Lists of offsets may be nested, nulls in them are skipped. It is an error if there are fewer offsets than instances, or no address at an offset.",
		Spec: section, Special: true,
	},
	{
		Name: "list_to_map", Min: 1, Max: 2, Args: []string{"list: list", "key: string"}, Result: "map",
		Doc:  "Turns a list of maps into a map of them. The key is taken out of each entry: from the given field, else from the key field of the list, else from name. It must be a text. Of entries with the same key the last one stays.",
		Spec: section, Fn: listToMap,
	},
	{
		Name: "makemap", Min: 1, Max: -1, Args: []string{"key: " + simpleKinds + "|list", "value: any"}, Result: "map",
		Doc:  "Makes a map of alternating keys and values, or of one list of maps that have the fields key and value. Integers and booleans become texts as keys. Of equal keys the last one stays.",
		Spec: section, Fn: makemap,
	},
	{
		Name: "min_ip", Min: 1, Max: 1, Args: []string{"cidr: string"}, Result: "string",
		Doc:  "Returns the lowest address of a network in CIDR notation, IPv4 or IPv6. The address in front of the slash may be any of it.",
		Spec: section, Fn: minIP,
	},
	{
		Name: "max_ip", Min: 1, Max: 1, Args: []string{"cidr: string"}, Result: "string",
		Doc:  "Returns the highest address of a network in CIDR notation.",
		Spec: section, Fn: maxIP,
	},
	{
		Name: "num_ip", Min: 1, Max: 1, Args: []string{"cidr: string"}, Result: "int",
		Doc:  "Returns the number of addresses of a network in CIDR notation, the lowest and the highest included.",
		Spec: section, Fn: numIP,
	},
}
